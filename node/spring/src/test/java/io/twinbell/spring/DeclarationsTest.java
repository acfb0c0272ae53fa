package io.twinbell.spring;

import static io.twinbell.spring.TwinbellAutoConfigurationTest.analysis;
import static io.twinbell.spring.TwinbellAutoConfigurationTest.assertFailure;
import static io.twinbell.spring.TwinbellAutoConfigurationTest.pool;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.twinbell.client.HandlerKey;
import io.twinbell.handler.TaskContext;
import io.twinbell.handler.TransactionContext;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.springframework.aop.framework.ProxyFactory;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.boot.LazyInitializationBeanFactoryPostProcessor;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.AbstractPlatformTransactionManager;
import org.springframework.transaction.support.DefaultTransactionStatus;

/** What annotated methods declare, and how wrong declarations fail. No server is there. */
class DeclarationsTest {
    private final ApplicationContextRunner application =
            new ApplicationContextRunner().withConfiguration(AutoConfigurations.of(TwinbellAutoConfiguration.class));
    /** Its node starts, and waits for servers that do not answer. */
    private final ApplicationContextRunner withNode = application
            .withBean(DataSource.class, () -> pool("shop"))
            .withPropertyValues("twinbell.zookeeper.connect=127.0.0.1:1", "twinbell.join-timeout=0s");

    @Test
    void methods_that_declare_one_key_twice_fail_and_are_named() {
        withNode.withUserConfiguration(Twice.class)
                .run(context -> assertFailure(
                        context.getStartupFailure(), "two methods declare \"k\"", "Twice.one", "Twice.two"));
    }

    static class Twice {
        @TwinbellHandler("k")
        void one() {}

        @TwinbellHandler("k")
        void two() {}
    }

    @Test
    void a_handler_with_two_payloads_fails_and_is_named() {
        withNode.withUserConfiguration(TwoPayloads.class)
                .run(context -> assertFailure(context.getStartupFailure(), "TwoPayloads.close", "at most one"));
    }

    static class TwoPayloads {
        @TwinbellHandler("k")
        void close(String a, String b) {}
    }

    @Test
    void a_payload_whose_elements_would_lose_their_type_fails() {
        withNode.withUserConfiguration(ListPayload.class)
                .run(context -> assertFailure(context.getStartupFailure(), "ListPayload.close", "Take an array"));
    }

    static class ListPayload {
        record Invoice(long number) {}

        @TwinbellHandler("k")
        void close(List<Invoice> invoices) {}
    }

    @Test
    void a_key_of_another_payload_than_the_handlers_fails() {
        withNode.withUserConfiguration(OtherPayload.class)
                .run(context -> assertFailure(context.getStartupFailure(), "java.lang.Integer", "java.lang.String"));
    }

    static class OtherPayload {
        @Bean
        HandlerKey<String> key() {
            return HandlerKey.of("k", String.class);
        }

        @TwinbellHandler("k")
        void close(Integer payload) {}
    }

    @Test
    void a_transaction_context_needs_a_handler_that_is_exactly_once() {
        withNode.withUserConfiguration(NoTransaction.class)
                .run(context ->
                        assertFailure(context.getStartupFailure(), "NoTransaction.close", "exactlyOnce = true"));
    }

    static class NoTransaction {
        @TwinbellHandler("k")
        void close(TransactionContext context) {}
    }

    @Test
    void a_transaction_context_needs_a_recurring_method_that_is_exactly_once() {
        withNode.withUserConfiguration(RecurringNoTransaction.class)
                .run(context -> assertFailure(
                        context.getStartupFailure(),
                        "RecurringNoTransaction.run",
                        "@Recurring needs exactlyOnce = true"));
    }

    static class RecurringNoTransaction {
        @Recurring(every = "5m", rerunOrphans = true)
        void run(TransactionContext context) {}
    }

    @Test
    void a_recurring_method_that_is_exactly_once_needs_a_transaction_to_join() {
        application
                .withPropertyValues("twinbell.zookeeper.connect=127.0.0.1:1")
                .withUserConfiguration(RecurringOnce.class)
                .run(context -> assertFailure(
                        context.getStartupFailure(), "RecurringOnce.", "the application has no DataSource"));
        withNode.withUserConfiguration(OtherManager.class, RecurringOnce.class)
                .run(context -> assertFailure(
                        context.getStartupFailure(), "RecurringOnce.", "a OtherManager cannot take part"));
    }

    /** The orphan of each task, if one is in its definition. */
    @Test
    void a_recurring_method_that_may_run_twice_says_so_in_its_task_unless_the_task_says_otherwise() {
        withNode.withUserConfiguration(RecurringOnce.class).run(context -> {
            Map<String, String> orphans = new TreeMap<>();
            for (RecurringTask task : context.getBean(DeclaredHandlers.class).recurring()) {
                orphans.put(task.name(), task.json().path("orphan").asText("none"));
            }
            assertEquals(
                    Map.of(
                            "once",
                            "RERUN",
                            "once-said",
                            "DROP",
                            "twice",
                            "RERUN",
                            "twice-said",
                            "DROP",
                            "usual",
                            "none"),
                    orphans);
        });
    }

    static class RecurringOnce {
        @Recurring(name = "once", every = "5m", exactlyOnce = true)
        void once(TransactionContext context) {}

        @Recurring(name = "once-said", every = "5m", exactlyOnce = true, task = "{\"orphan\":\"DROP\"}")
        void onceSaid(TaskContext context) {}

        @Recurring(name = "twice", every = "5m", rerunOrphans = true)
        void twice() {}

        @Recurring(name = "twice-said", every = "5m", rerunOrphans = true, task = "{\"orphan\":\"DROP\"}")
        void twiceSaid() {}

        @Recurring(name = "usual", every = "5m")
        void usual() {}

        @Recurring(name = "off", every = "-", exactlyOnce = true)
        void off() {}
    }

    @Test
    void exactly_once_is_refused_beside_a_transaction_manager_that_cannot_join() {
        withNode.withUserConfiguration(OtherTransactions.class).run(context -> {
            FailureAnalysis analysis = analysis(context.getStartupFailure());
            assertTrue(
                    analysis.getDescription().contains("OtherTransactions.close")
                            && analysis.getDescription().contains("a OtherManager cannot take part"),
                    analysis::getDescription);
            assertTrue(analysis.getAction().contains("idempotencyKey()"), analysis::getAction);
        });
    }

    @Test
    void exactly_once_without_a_data_source_is_refused_with_what_to_do() {
        application
                .withPropertyValues("twinbell.zookeeper.connect=127.0.0.1:1")
                .withUserConfiguration(OnceAlone.class)
                .run(context -> {
                    FailureAnalysis analysis = analysis(context.getStartupFailure());
                    assertTrue(
                            analysis.getDescription().contains("OnceAlone.close")
                                    && analysis.getDescription().endsWith("the application has no DataSource"),
                            analysis::getDescription);
                    assertTrue(analysis.getAction().contains("spring-boot-starter-jdbc"), analysis::getAction);
                });
    }

    static class OnceAlone {
        @TwinbellHandler(value = "k", exactlyOnce = true)
        void close() {}
    }

    static class OtherTransactions {
        @Bean
        OtherManager manager() {
            return new OtherManager();
        }

        @TwinbellHandler(value = "k", exactlyOnce = true)
        void close() {}
    }

    @SuppressWarnings("serial")
    static class OtherManager extends AbstractPlatformTransactionManager {
        @Override
        protected Object doGetTransaction() {
            return this;
        }

        @Override
        protected void doBegin(Object transaction, TransactionDefinition definition) {}

        @Override
        protected void doCommit(DefaultTransactionStatus status) {}

        @Override
        protected void doRollback(DefaultTransactionStatus status) {}
    }

    @Test
    void recurring_tasks_that_make_no_sense_fail_and_are_named() {
        withNode.withUserConfiguration(BadCron.class)
                .run(context -> assertFailure(context.getStartupFailure(), "BadCron.run", "/schedule/cron"));
        withNode.withUserConfiguration(NoSchedule.class)
                .run(context -> assertFailure(context.getStartupFailure(), "NoSchedule.run", "exactly one"));
        withNode.withUserConfiguration(BadMember.class)
                .run(context -> assertFailure(context.getStartupFailure(), "BadMember.run", "/overlapp"));
        withNode.withUserConfiguration(TwoObjects.class)
                .run(context -> assertFailure(context.getStartupFailure(), "TwoObjects.run", "is not JSON"));
        withNode.withUserConfiguration(RecurringPayload.class)
                .run(context -> assertFailure(context.getStartupFailure(), "RecurringPayload.run", "no parameter"));
        withNode.withUserConfiguration(BadTags.class)
                .run(context -> assertFailure(context.getStartupFailure(), "BadTags.run", "/tags"));
        withNode.withUserConfiguration(OwnSchedule.class)
                .run(context -> assertFailure(context.getStartupFailure(), "OwnSchedule.run", "\"schedule\""));
    }

    static class BadCron {
        @Recurring(cron = "0 0 31 2 *")
        void run() {}
    }

    static class NoSchedule {
        @Recurring
        void run() {}
    }

    static class BadMember {
        @Recurring(every = "5m", task = "{\"overlapp\":\"QUEUE\"}")
        void run() {}
    }

    static class BadTags {
        @Recurring(every = "5m", task = "{\"tags\":\"nightly\"}")
        void run() {}
    }

    static class OwnSchedule {
        @Recurring(every = "5m", task = "{\"schedule\":{\"every\":\"PT1M\"}}")
        void run() {}
    }

    static class TwoObjects {
        @Recurring(every = "5m", task = "{\"overlap\":\"QUEUE\"} {\"timeout\":\"PT1H\"}")
        void run() {}
    }

    static class RecurringPayload {
        @Recurring(every = "5m")
        void run(String payload) {}
    }

    @Test
    void a_wrong_declaration_is_reported_with_what_to_do() {
        Map<Class<?>, String> actions = Map.of(
                BadCron.class, "Correct the annotation, or the properties that it names.",
                Twice.class, "Give one of them another key (@TwinbellHandler) or name (@Recurring).",
                RecurringPayload.class, "enqueued with JdbcTaskClient",
                NoSchedule.class, "cron = \"30 2 * * *\"",
                TwoNames.class, "another key (@TwinbellHandler) or name (@Recurring)");
        actions.forEach((application, action) -> withNode.withUserConfiguration(application)
                .run(context -> {
                    FailureAnalysis analysis = analysis(context.getStartupFailure());
                    assertTrue(analysis.getAction().contains(action), analysis::getAction);
                    assertTrue(
                            analysis.getDescription().contains(application.getSimpleName() + "."),
                            analysis::getDescription);
                }));
    }

    static class TwoNames {
        @Recurring(name = "close", every = "5m")
        void one() {}

        @Recurring(name = "close", every = "1h")
        void two() {}
    }

    @Test
    void a_method_that_its_beans_proxy_cannot_pass_on_fails_the_start_and_is_named() {
        for (Class<?> declaring : List.of(FinalMethod.class, PrivateMethod.class, FinalHandler.class)) {
            withNode.withInitializer(context -> proxied(context, declaring, true))
                    .run(context -> assertFailure(
                            context.getStartupFailure(),
                            declaring.getSimpleName() + ".run",
                            "cannot be called through the proxy of its bean"));
            withNode.withUserConfiguration(declaring)
                    .run(context -> assertNull(context.getStartupFailure(), "a bean that is no proxy"));
        }
        withNode.withInitializer(context -> proxied(context, NotInTheInterface.class, false))
                .run(context -> assertFailure(
                        context.getStartupFailure(), "NotInTheInterface.run", "not found in any interface"));
        withNode.withInitializer(context -> proxied(context, NotInTheInterface.class, true))
                .run(context -> assertNull(context.getStartupFailure()));
    }

    /** As Spring makes the proxy of a bean that is @Transactional. */
    private static void proxied(ConfigurableApplicationContext context, Class<?> type, boolean bySubclass) {
        ((GenericApplicationContext) context).registerBean(type);
        context.getBeanFactory().addBeanPostProcessor(new BeanPostProcessor() {
            @Override
            public Object postProcessAfterInitialization(Object bean, String name) {
                if (bean.getClass() != type) {
                    return bean;
                }
                ProxyFactory proxy = new ProxyFactory(bean);
                proxy.setProxyTargetClass(bySubclass);
                return proxy.getProxy();
            }
        });
    }

    static class FinalMethod {
        @Recurring(every = "5m")
        final void run() {}
    }

    static class PrivateMethod {
        @Recurring(every = "5m")
        private void run() {}
    }

    static class FinalHandler {
        @TwinbellHandler("k")
        public final void run() {}
    }

    static class NotInTheInterface implements Comparable<String> {
        @Recurring(every = "5m")
        public void run() {}

        @Override
        public int compareTo(String other) {
            return 0;
        }
    }

    @Test
    void a_method_of_a_bean_that_is_declared_by_its_interface_is_found_also_if_beans_are_made_lazily() {
        withNode.withUserConfiguration(ByInterface.class).run(DeclarationsTest::assertCloseIsFound);
        withNode.withInitializer(context ->
                        context.addBeanFactoryPostProcessor(new LazyInitializationBeanFactoryPostProcessor()))
                .withUserConfiguration(ByInterface.class)
                .run(DeclarationsTest::assertCloseIsFound);
    }

    private static void assertCloseIsFound(AssertableApplicationContext context) {
        assertNull(context.getStartupFailure());
        assertEquals(
                List.of("close"),
                context.getBean(DeclaredHandlers.class).recurring().stream()
                        .map(RecurringTask::name)
                        .toList());
    }

    interface Closing {}

    static class ByInterface {
        @Bean
        Closing closing() {
            return new Closing() {
                @Recurring(name = "close", every = "5m")
                void close() {}
            };
        }
    }

    @Test
    void a_retry_that_is_not_valid_fails_and_is_named() {
        withNode.withPropertyValues("twinbell.retry.backoff=10s")
                .run(context -> assertFailure(context.getStartupFailure(), "number of attempts is missing"));
        withNode.withPropertyValues("twinbell.retry.max-attempts=2000")
                .run(context -> assertFailure(context.getStartupFailure(), "1 to 1000, not 2000"));
        withNode.withUserConfiguration(SlowRetry.class)
                .run(context ->
                        assertFailure(context.getStartupFailure(), "SlowRetry.run", "duration", "a while", "use 10s"));
        withNode.withUserConfiguration(ShrinkingRetry.class)
                .run(context -> assertFailure(context.getStartupFailure(), "ShrinkingRetry.run", "1 to 100, not 0.5"));
    }

    static class SlowRetry {
        @TwinbellHandler(value = "a", retry = @RetryAttempts(value = 2, backoff = "a while"))
        void run() {}
    }

    static class ShrinkingRetry {
        @Recurring(every = "5m", retry = @RetryAttempts(value = 2, multiplier = 0.5))
        void run() {}
    }

    @Test
    void a_recurring_task_has_the_members_that_its_method_declares() {
        withNode.withUserConfiguration(Declared.class)
                .withPropertyValues(
                        "spring.application.name=shop",
                        "shop.cron=30 2 * * *",
                        "shop.off=-",
                        "twinbell.retry.max-attempts=5",
                        "twinbell.retry.backoff=10s")
                .run(context -> {
                    RecurringTask task =
                            context.getBean(DeclaredHandlers.class).recurring().get(0);
                    assertEquals(
                            1,
                            context.getBean(DeclaredHandlers.class).recurring().size(),
                            "one is switched off");
                    assertEquals("Declared.run code:shop/Declared.run", task.name() + " " + task.key());
                    assertEquals(
                            "{\"overlap\":\"QUEUE\",\"data\":[0.12345678901234567890,100.00],\"schedule\":{\"cron\":\"30 2 * * *\",\"zone\":\"Europe/Berlin\"},"
                                    + "\"timeout\":\"PT5M\",\"retry\":{\"maxAttempts\":3,\"backoff\":\"PT10S\",\"maxBackoff\":\"PT1H\"},\"tags\":[\"recurring\"],"
                                    + "\"handler\":{\"type\":\"java\",\"key\":\"code:shop/Declared.run\"}}",
                            task.json().toString());
                });
    }

    static class Declared {
        @Recurring(
                cron = "${shop.cron}",
                zone = "Europe/Berlin",
                timeout = "5m",
                retry = @RetryAttempts(value = 3, maxBackoff = "1h"),
                task = "{\"overlap\":\"QUEUE\",\"data\":[0.12345678901234567890,100.00]}")
        void run(TaskContext context) {}

        @Recurring(every = "${shop.off}")
        void off() {}
    }
}
