package io.twinbell.node.access;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.twinbell.persistence.testing.HandTicker;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

class FailedAttemptsTest {
    private final HandTicker ticker = new HandTicker();
    private final FailedAttempts attempts = new FailedAttempts(ticker);

    @Test
    void the_delay_doubles_with_each_failure_of_the_address_up_to_a_limit() {
        List<Long> delays = IntStream.range(0, 8)
                .mapToObj(i -> attempts.failed("192.0.2.1").toMillis())
                .toList();
        assertEquals(List.of(100L, 200L, 400L, 800L, 1600L, 3200L, 5000L, 5000L), delays);
        assertEquals(100, attempts.failed("192.0.2.2").toMillis(), "another address is not affected");
        assertEquals(9, attempts.total());
    }

    @Test
    void failures_are_forgotten_after_ten_minutes() {
        attempts.failed("192.0.2.1");
        attempts.failed("192.0.2.1");
        ticker.pass(Duration.ofMinutes(11));
        assertEquals(100, attempts.failed("192.0.2.1").toMillis());
    }

    @Test
    void addresses_of_one_64_network_are_counted_together() {
        attempts.failed("2001:db8::1");
        assertEquals(200, attempts.failed("2001:db8::2").toMillis());
        assertEquals(100, attempts.failed("2001:db8:0:1::2").toMillis());
    }

    @Test
    void only_a_bounded_number_of_networks_is_remembered() {
        attempts.failed("192.0.2.1");
        attempts.failed("192.0.2.2");
        IntStream.range(0, 9_999).forEach(i -> attempts.failed("2001:db8:0:" + Integer.toHexString(i) + "::1"));
        assertEquals(200, attempts.failed("192.0.2.2").toMillis());
        assertEquals(100, attempts.failed("192.0.2.1").toMillis());
    }

    @Test
    void many_addresses_write_ten_lines_a_minute_and_then_how_many_more_there_were() {
        Logger logger = (Logger) LoggerFactory.getLogger(FailedAttempts.class);
        ListAppender<ILoggingEvent> lines = new ListAppender<>();
        lines.start();
        logger.addAppender(lines);
        try {
            IntStream.range(0, 1000).forEach(i -> attempts.failed("10.0." + i / 250 + "." + i % 250));
            assertEquals(10, lines.list.size());
            ticker.pass(Duration.ofMinutes(2));
            attempts.failed("192.0.2.1");
        } finally {
            logger.detachAppender(lines);
        }
        assertEquals(12, lines.list.size());
        String more = lines.list.get(10).getFormattedMessage();
        assertTrue(more.startsWith("990 more lines"), more);
    }
}
