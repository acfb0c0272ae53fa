package io.twinbell.spring.test;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.twinbell.client.HandlerKey;
import io.twinbell.client.JdbcTaskClient;
import io.twinbell.spring.Recurring;
import io.twinbell.test.TestScheduler;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.autoconfigure.jdbc.DataSourceAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.test.context.ContextConfiguration;
import org.springframework.test.context.TestContextManager;

/** What a developer reads who uses the annotation in a wrong way, and the contexts of unusual classes. */
class VirtualTimeMisuseTest {
    @SpringBootConfiguration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class EmptyShop {}

    @SpringBootTest(classes = EmptyShop.class)
    @VirtualTime("2026-03-01")
    static class NoInstant {}

    @Test
    void a_start_that_is_no_instant_is_named_with_its_class() {
        Throwable thrown = assertThrows(IllegalStateException.class, () -> context(NoInstant.class));
        assertEquals(
                "@VirtualTime(\"2026-03-01\") of " + NoInstant.class.getName()
                        + " is not an instant such as 2026-03-01T00:00:00Z",
                thrown.getMessage());
    }

    @SpringBootTest(classes = EmptyShop.class, properties = "twinbell.enabled=false")
    @VirtualTime
    static class Disabled {}

    @Test
    void an_application_whose_starter_is_switched_off_has_no_virtual_time() {
        assertFailure(Disabled.class, "@VirtualTime of " + Disabled.class.getName(), "twinbell.enabled=false");
    }

    @Configuration(proxyBeanMethods = false)
    static class Bare {}

    @ContextConfiguration(classes = Bare.class)
    @VirtualTime
    static class NoStarter {}

    @Test
    void a_context_without_the_starter_has_no_virtual_time() {
        assertFailure(NoStarter.class, "which this context lacks: use @SpringBootTest");
    }

    @Configuration(proxyBeanMethods = false)
    static class Hasty {
        @Bean
        String hasty(JdbcTaskClient tasks) {
            return tasks.schedule(HandlerKey.of("k", String.class), "x")
                    .named("too-early")
                    .name();
        }
    }

    @SpringBootTest(classes = {EmptyShop.class, Hasty.class})
    @VirtualTime
    static class TooEarly {}

    @Test
    void a_bean_that_enqueues_before_the_node_has_started_is_told_so() {
        assertFailure(TooEarly.class, "the scheduler in virtual time has not started yet");
    }

    @SpringBootTest(classes = EmptyShop.class)
    @VirtualTime
    static class One {}

    @SpringBootTest(classes = EmptyShop.class)
    @VirtualTime
    static class Same {}

    @SpringBootTest(classes = EmptyShop.class)
    @VirtualTime("2026-03-01T00:00:00Z")
    static class Later {}

    @Test
    void classes_with_the_same_start_share_a_context() throws Exception {
        assertSame(context(One.class), context(Same.class));
        ApplicationContext later = context(Later.class);
        assertNotSame(context(One.class), later);
        assertEquals(
                Instant.parse("2026-03-01T00:00:00Z"),
                later.getBean(TestScheduler.class).clock().instant());
    }

    @SpringBootConfiguration(proxyBeanMethods = false)
    @EnableAutoConfiguration(exclude = DataSourceAutoConfiguration.class)
    static class NoDatabase {
        @Recurring(name = "poll", every = "1h")
        void poll() {}
    }

    @SpringBootTest(classes = NoDatabase.class, properties = "spring.application.name=poller")
    @VirtualTime
    static class WithoutDatabase {}

    @Test
    void an_application_may_have_no_data_source() {
        ApplicationContext context = context(WithoutDatabase.class);
        TestScheduler scheduler = context.getBean(TestScheduler.class);
        scheduler.clock().advance(Duration.ofDays(1));
        scheduler.assertThat("poller", "poll").firedTimes(24).succeeded();
        context.getBean(JdbcTaskClient.class)
                .schedule(HandlerKey.of("code:poller/poll", String.class), null)
                .named("extra");
        scheduler.assertThat("poller", "extra").exists();
    }

    private static ApplicationContext context(Class<?> testClass) {
        return new TestContextManager(testClass).getTestContext().getApplicationContext();
    }

    private static void assertFailure(Class<?> testClass, String... parts) {
        StringWriter report = new StringWriter();
        assertThrows(IllegalStateException.class, () -> context(testClass)).printStackTrace(new PrintWriter(report));
        for (String part : parts) {
            assertTrue(report.toString().contains(part), report::toString);
        }
    }
}
