package io.twinbell.node.loop;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.twinbell.persistence.testing.HandTicker;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** When a loop counts as stalled, and how much it says about that. */
class LoopTest {
    private final HandTicker ticker = new HandTicker();
    private final Loops loops = new Loops(ticker, loop -> {});
    private final Loop loop = loops.loop("test");
    private final Logger logger = (Logger) LoggerFactory.getLogger(Loop.class);
    private final ListAppender<ILoggingEvent> lines = new ListAppender<>();

    @BeforeEach
    void listen() {
        lines.start();
        logger.addAppender(lines);
    }

    @AfterEach
    void stopListening() {
        logger.detachAppender(lines);
    }

    private boolean fail() {
        return loop.run(() -> {
            throw new IllegalStateException("no paper");
        });
    }

    private List<String> said(Level level) {
        return lines.list.stream()
                .filter(line -> line.getLevel() == level)
                .map(ILoggingEvent::getFormattedMessage)
                .toList();
    }

    @Test
    void a_series_of_failures_ages_from_its_first_and_ends_with_the_first_pass_that_does_not_fail() {
        assertTrue(loop.run(() -> {}));
        assertEquals(0, loop.state().stalledNanos());
        assertFalse(fail());
        ticker.pass(Duration.ofSeconds(5));
        assertFalse(fail());
        assertEquals(2, loop.state().failures());
        assertEquals(Duration.ofSeconds(5).toNanos(), loop.state().stalledNanos());
        assertTrue(loop.state().lastError().contains("no paper"));
        loop.run(() -> {});
        assertEquals(0, loop.state().stalledNanos());
        assertNull(loop.state().lastError());
    }

    @Test
    void a_failure_that_the_pass_itself_reports_is_no_progress() {
        loop.run(() -> loop.failed("the database is not reached"));
        ticker.pass(Duration.ofSeconds(1));
        assertEquals(Duration.ofSeconds(1).toNanos(), loops.states().get(0).stalledNanos());
    }

    @Test
    void a_pass_that_hangs_is_stalled_though_nothing_has_failed() {
        loop.begin();
        ticker.pass(Duration.ofSeconds(59));
        assertEquals(0, loop.state().stalledNanos());
        ticker.pass(Duration.ofSeconds(2));
        assertEquals(Duration.ofSeconds(61).toNanos(), loop.state().stalledNanos());
        loop.end();
        assertEquals(0, loop.state().stalledNanos());
    }

    @Test
    void the_first_failure_is_logged_then_one_a_minute_then_the_recovery() {
        for (int i = 0; i < 1300; i++) {
            fail();
            ticker.pass(Duration.ofMillis(100));
        }
        loop.run(() -> {});
        List<String> warnings = said(Level.WARN);
        assertEquals(3, warnings.size(), warnings.toString());
        assertTrue(warnings.get(0).startsWith("test failed and tries again"), warnings.get(0));
        assertTrue(warnings.get(2).contains("1201 times in 120 s"), warnings.get(2));
        assertEquals(List.of("test works again, after 1300 failures in 130 s"), said(Level.INFO));
    }

    @Test
    void a_loop_that_fails_every_other_time_does_not_fill_the_log() {
        for (int i = 0; i < 100; i++) {
            fail();
            loop.run(() -> {});
            ticker.pass(Duration.ofMillis(100));
        }
        assertEquals(1, said(Level.WARN).size(), said(Level.WARN).toString());
    }

    @Test
    void items_set_aside_are_counted_in_full_and_logged_within_bounds() {
        for (int i = 0; i < 120; i++) {
            loop.setAside("outcome " + i, new IllegalStateException("too long"));
        }
        assertEquals(120, loop.itemsSetAside());
        assertEquals(50, said(Level.ERROR).size());
        ticker.pass(Duration.ofMinutes(1));
        loop.setAside("outcome 120", new IllegalStateException("too long"));
        assertEquals(
                "test set aside 70 more items in one minute", said(Level.ERROR).get(50));
        assertEquals(0, loop.state().stalledNanos(), "the others go on");
    }
}
