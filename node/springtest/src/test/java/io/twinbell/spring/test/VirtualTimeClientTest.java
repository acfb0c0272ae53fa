package io.twinbell.spring.test;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.twinbell.client.HandlerKey;
import io.twinbell.client.IfTaskExists;
import io.twinbell.client.JdbcTaskClient;
import io.twinbell.client.TaskAction;
import io.twinbell.client.TaskDraft;
import io.twinbell.client.TaskSchedule;
import io.twinbell.spring.TwinbellNode;
import io.twinbell.test.TestScheduler;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.autoconfigure.jdbc.DataSourceAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ApplicationContext;

/** An application that only enqueues, and has no DataSource in its test. */
@SpringBootTest(properties = {"spring.application.name=web", "twinbell.mode=client", "spring.main.banner-mode=off"})
@VirtualTime
@ExtendWith(OutputCaptureExtension.class)
class VirtualTimeClientTest {
    private static final HandlerKey<Integer> CLOSE = HandlerKey.of("order.close", Integer.class);

    @SpringBootConfiguration(proxyBeanMethods = false)
    @EnableAutoConfiguration(exclude = DataSourceAutoConfiguration.class)
    static class Web {}

    @Test
    void a_test_of_a_client_sees_what_was_enqueued(
            @Autowired JdbcTaskClient tasks,
            @Autowired TestScheduler scheduler,
            @Autowired ApplicationContext context,
            CapturedOutput log) {
        assertTrue(context.getBeansOfType(TwinbellNode.class).isEmpty());
        tasks.schedule(CLOSE, 4711).in(Duration.ofHours(48)).named("order-4711");
        tasks.put(
                TaskDraft.of(TaskAction.http("https://shop.example/remind"), TaskSchedule.in(Duration.ofDays(1)))
                        .name("remind"),
                IfTaskExists.KEEP);
        scheduler.assertThat("web", "order-4711").firesNextAt("2026-01-03T00:00:00Z");
        scheduler.assertThat("web", "remind").firesNextAt("2026-01-02T00:00:00Z");
        assertEquals(
                "4711",
                scheduler
                        .tasks()
                        .find("web", "order-4711")
                        .orElseThrow()
                        .json()
                        .replaceAll(".*\"data\":(\\d+).*", "$1"));
        assertFalse(log.getAll().contains("no node has a java handler"), log::getAll);
        scheduler.clock().advance(Duration.ofDays(1));
        scheduler.assertThat("web", "remind").latest().failed().hasErrorContaining("twinbell.mode is client");
    }
}
