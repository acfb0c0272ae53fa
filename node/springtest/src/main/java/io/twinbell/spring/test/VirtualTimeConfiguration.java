package io.twinbell.spring.test;

import io.twinbell.client.JdbcTaskClient;
import io.twinbell.spring.TwinbellProperties;
import io.twinbell.test.TestClock;
import io.twinbell.test.TestScheduler;
import java.time.Clock;
import java.time.ZoneId;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanFactoryPostProcessor;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Primary;
import org.springframework.core.env.Environment;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/** The beans of a test in virtual time. They replace the servers of the starter's beans. */
@Configuration(proxyBeanMethods = false)
class VirtualTimeConfiguration {
    private static final String STARTER = "twinbell-spring-boot-starter";

    /** Fails before the application's beans are made, of which one would miss the starter's beans. */
    @Bean
    static BeanFactoryPostProcessor twinbellVirtualTimeCheck(Environment environment, VirtualStart start) {
        return beans -> {
            if (beans.getBeanNamesForType(TwinbellProperties.class, true, false).length > 0) {
                return;
            }
            boolean isEnabled = environment.getProperty("twinbell.enabled", Boolean.class, true);
            throw new IllegalStateException("@VirtualTime of " + start.testClass() + " needs the beans of " + STARTER
                    + (isEnabled
                            ? ", which this context lacks: use @SpringBootTest, or @ImportAutoConfiguration of"
                                    + " TwinbellAutoConfiguration"
                            : ", and twinbell.enabled=false switches them off: remove one of the two"));
        };
    }

    /** The node's bean closes it. */
    @Bean(destroyMethod = "")
    TestScheduler twinbellTestScheduler(VirtualStart start) {
        return TestScheduler.unstarted(start.instant(), VirtualTimeConfiguration::requireNoTransaction);
    }

    private static void requireNoTransaction() {
        if (TransactionSynchronizationManager.isActualTransactionActive()) {
            throw new IllegalStateException(
                    "time cannot pass inside of a transaction: handlers would take part in it, and"
                            + " the tasks that it has stored exist only after its commit. Remove @Transactional from the test, or"
                            + " commit before with TestTransaction.flagForCommit() and TestTransaction.end()");
        }
    }

    @Bean
    StartMark twinbellStartMark(TestScheduler scheduler) {
        return new StartMark(scheduler);
    }

    @Bean
    TestClock twinbellTestClock(TestScheduler scheduler) {
        return scheduler.clock();
    }

    /** For code that takes the time from a bean of type {@code Clock} or {@code InstantSource}. */
    @Bean
    @Primary
    Clock twinbellVirtualClock(TestClock clock) {
        return clock.withZone(ZoneId.systemDefault());
    }

    @Bean
    JdbcTaskClient.TaskFunctions twinbellTaskFunctions(TestScheduler scheduler) {
        return new TransactionalFunctions(scheduler);
    }

    @Bean
    VirtualStarter twinbellVirtualStarter(TestScheduler scheduler, ObjectProvider<VirtualTimeCustomizer> customizers) {
        return new VirtualStarter(scheduler, customizers);
    }

    /** Without a node, because the application only enqueues, the scheduler holds what it has enqueued. */
    @Bean
    @ConditionalOnProperty(name = "twinbell.mode", havingValue = "client")
    ClientScheduler twinbellClientScheduler(VirtualStarter starter) {
        return new ClientScheduler(starter);
    }
}
