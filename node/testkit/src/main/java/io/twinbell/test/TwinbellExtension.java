package io.twinbell.test;

import io.twinbell.Tasks;
import io.twinbell.Twinbell;
import java.util.Map;
import java.util.function.Function;
import java.util.function.Supplier;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/**
 * Starts a {@link TestScheduler} before each test of JUnit 5 and closes it afterwards. Tests take it, its {@link TestClock},
 * {@link Tasks} or {@link Twinbell} as parameters.
 *
 * <pre>{@code
 * @RegisterExtension
 * final TwinbellExtension twinbell = TwinbellExtension.of(() -> TestScheduler.builder()
 *         .startingAt("2026-03-01T00:00:00Z")
 *         .handler("invoice.close", context -> invoices.close()));
 * }</pre>
 */
public final class TwinbellExtension implements BeforeEachCallback, AfterEachCallback, ParameterResolver {
    private static final Map<Class<?>, Function<TestScheduler, Object>> PARAMETERS = Map.of(
            TestScheduler.class, scheduler -> scheduler,
            TestClock.class, TestScheduler::clock,
            Tasks.class, TestScheduler::tasks,
            Twinbell.class, TestScheduler::twinbell);

    private final Supplier<TestScheduler.Builder> builder;
    private TestScheduler scheduler;

    private TwinbellExtension(Supplier<TestScheduler.Builder> builder) {
        this.builder = builder;
    }

    /** @param builder called before each test: a builder starts one scheduler */
    public static TwinbellExtension of(Supplier<TestScheduler.Builder> builder) {
        return new TwinbellExtension(builder);
    }

    /** Returns the scheduler of the current test. */
    public TestScheduler scheduler() {
        if (scheduler == null) {
            throw new IllegalStateException(
                    "no test runs now: register this extension with @RegisterExtension, on a field"
                            + " that is not static");
        }
        return scheduler;
    }

    @Override
    public void beforeEach(ExtensionContext context) {
        scheduler = builder.get().start();
    }

    @Override
    public void afterEach(ExtensionContext context) {
        if (scheduler != null) {
            scheduler.close();
            scheduler = null;
        }
    }

    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
        return PARAMETERS.containsKey(parameter.getParameter().getType());
    }

    @Override
    public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
        return PARAMETERS.get(parameter.getParameter().getType()).apply(scheduler());
    }
}
