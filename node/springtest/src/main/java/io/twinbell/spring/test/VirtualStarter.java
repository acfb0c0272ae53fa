package io.twinbell.spring.test;

import io.twinbell.Twinbell;
import io.twinbell.handler.TaskHandler;
import io.twinbell.spring.NodeStarter;
import io.twinbell.test.TestScheduler;
import java.util.function.Consumer;
import javax.sql.DataSource;
import org.springframework.beans.factory.ObjectProvider;

/** Starts the scheduler of a test as the node of the application. */
final class VirtualStarter implements NodeStarter {
    private final TestScheduler scheduler;
    private final ObjectProvider<VirtualTimeCustomizer> customizers;

    VirtualStarter(TestScheduler scheduler, ObjectProvider<VirtualTimeCustomizer> customizers) {
        this.scheduler = scheduler;
        this.customizers = customizers;
    }

    @Override
    public Twinbell start(Consumer<Twinbell.Builder> application, DataSource dataSource) {
        Twinbell.Builder builder = Twinbell.builder();
        application.accept(builder);
        return start(TestScheduler.builder(builder).dataSource(dataSource));
    }

    @Override
    public boolean isInVirtualTime() {
        return true;
    }

    /** Starts a scheduler without handlers, which accepts tasks of each type, as a real pair does. */
    Twinbell startForClient() {
        TaskHandler nobody = context -> {
            throw new IllegalStateException("no node runs this task in the test, because twinbell.mode is client");
        };
        return start(TestScheduler.builder()
                .standIn("http", nobody)
                .standIn("sql", nobody)
                .standIn("shell", nobody));
    }

    private Twinbell start(TestScheduler.Builder settings) {
        customizers.orderedStream().forEach(customizer -> customizer.customize(settings));
        return scheduler.start(settings);
    }
}
