package io.twinbell.node.access;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.twinbell.persistence.testing.HandTicker;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

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
    void only_a_bounded_number_of_addresses_is_remembered() {
        attempts.failed("192.0.2.1");
        IntStream.range(0, 1000).forEach(i -> attempts.failed("2001:db8::" + i));
        assertEquals(100, attempts.failed("192.0.2.1").toMillis());
    }
}
