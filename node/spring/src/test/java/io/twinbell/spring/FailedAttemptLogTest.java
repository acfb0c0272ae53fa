package io.twinbell.spring;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.twinbell.handler.AttemptOutcome;
import io.twinbell.handler.InterceptedRun;
import java.lang.reflect.Proxy;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

class FailedAttemptLogTest {
    private final AtomicLong nanos = new AtomicLong(-5);
    private final FailedAttemptLog log = new FailedAttemptLog(nanos::get);
    private final ListAppender<ILoggingEvent> lines = new ListAppender<>();
    private final Logger logger = (Logger) LoggerFactory.getLogger(FailedAttemptLog.class);

    @BeforeEach
    void listen() {
        lines.start();
        logger.addAppender(lines);
    }

    @AfterEach
    void stop() {
        logger.detachAppender(lines);
    }

    @Test
    void each_handler_has_ten_lines_in_a_minute_and_the_rest_is_counted() {
        fail("bank", 40);
        fail("mail", 1);
        assertThat(messages()).hasSize(12);
        assertThat(messages().get(9))
                .contains("handler bank, slot 1/x", "FAILED, no attempt follows, so it is a dead letter: no answer");
        assertThat(messages().get(10)).contains("handler bank has failed more than 10 times in a minute");
        assertThat(messages().get(11)).contains("handler mail, slot 1/x");

        nanos.addAndGet(FailedAttemptLog.SPAN.toNanos() - 1);
        fail("bank", 5);
        assertThat(messages()).hasSize(12);

        nanos.addAndGet(1);
        fail("bank", 2);
        assertThat(messages()).hasSize(15);
        assertThat(messages().get(12)).isEqualTo("35 more failed attempts of handler bank were left out of the log");
        assertThat(messages().get(14)).contains("handler bank, slot 1/x");
    }

    @Test
    void what_was_left_out_is_counted_with_the_next_attempt_of_any_handler_or_at_the_end() {
        fail("bank", 11);
        fail("mail", 12);
        nanos.addAndGet(FailedAttemptLog.SPAN.toNanos());
        after(run("copy"), new AttemptOutcome("SUCCEEDED", "done", null, null, null, null));
        assertThat(messages().subList(22, messages().size()))
                .containsExactlyInAnyOrder(
                        "1 more failed attempts of handler bank were left out of the log",
                        "2 more failed attempts of handler mail were left out of the log");
        fail("bank", 13);
        fail("mail", 10);
        lines.list.clear();
        log.close();
        log.close();
        assertThat(messages()).containsExactly("3 more failed attempts of handler bank were left out of the log");
    }

    private void after(InterceptedRun run, AttemptOutcome outcome) {
        log.interceptor().after(run, outcome);
    }

    @Test
    void an_attempt_that_has_not_failed_leaves_no_line() {
        after(run("bank"), new AttemptOutcome("SUCCEEDED", "done", null, null, null, null));
        after(run("bank"), new AttemptOutcome("TIMED_OUT", null, null, "TIMEOUT", null, null));
        assertThat(messages())
                .singleElement()
                .asString()
                .contains("TIMED_OUT, no attempt follows, so it is a dead letter: TIMEOUT");
    }

    @Test
    void the_last_failed_attempt_differs_from_one_that_another_follows() {
        Instant next = Instant.parse("2026-11-28T13:45:10Z");
        after(run("bank"), new AttemptOutcome("FAILED", null, "no answer", "HANDLER_EXCEPTION", null, next));
        after(run("bank"), new AttemptOutcome("FAILED", null, "no answer", "HANDLER_EXCEPTION", null, null));
        assertThat(messages())
                .containsExactly(
                        "attempt 1 of task shop/shop (handler bank, slot 1/x) FAILED, the next attempt is due at"
                                + " 2026-11-28T13:45:10Z: no answer",
                        "attempt 1 of task shop/shop (handler bank, slot 1/x) FAILED, no attempt follows, so it is a"
                                + " dead letter: no answer");
    }

    private void fail(String handler, int times) {
        for (int i = 0; i < times; i++) {
            after(run(handler), new AttemptOutcome("FAILED", null, "no answer", "HANDLER_EXCEPTION", null, null));
        }
    }

    private List<String> messages() {
        return lines.list.stream().map(ILoggingEvent::getFormattedMessage).toList();
    }

    private static InterceptedRun run(String handler) {
        return (InterceptedRun) Proxy.newProxyInstance(
                FailedAttemptLogTest.class.getClassLoader(),
                new Class<?>[] {InterceptedRun.class},
                (proxy, method, none) -> switch (method.getName()) {
                    case "handlerKey" -> handler;
                    case "idempotencyKey" -> "1/x";
                    case "attempt" -> 1;
                    default -> "shop";
                });
    }
}
