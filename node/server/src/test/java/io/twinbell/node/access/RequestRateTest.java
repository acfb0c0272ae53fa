package io.twinbell.node.access;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.twinbell.persistence.testing.HandTicker;
import java.time.Duration;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class RequestRateTest {
    private final HandTicker ticker = new HandTicker();
    private final RequestRate rate = new RequestRate(10, ticker);

    private long admitted(String client, int requests) {
        return IntStream.range(0, requests).filter(i -> rate.admits(client)).count();
    }

    @Test
    void two_seconds_worth_may_come_at_once_and_then_the_rate_holds() {
        assertEquals(20, admitted("192.0.2.1", 100));
        ticker.pass(Duration.ofMillis(500));
        assertEquals(5, admitted("192.0.2.1", 100));
        assertEquals(175, rate.refused());
    }

    @Test
    void another_client_is_not_affected() {
        admitted("192.0.2.1", 100);
        assertTrue(rate.admits("192.0.2.2"));
    }

    @Test
    void an_idle_client_saves_up_two_seconds_at_most() {
        admitted("192.0.2.1", 100);
        ticker.pass(Duration.ofHours(1));
        assertEquals(20, admitted("192.0.2.1", 100));
    }

    @Test
    void only_a_bounded_number_of_clients_is_remembered() {
        admitted("192.0.2.1", 20);
        assertFalse(rate.admits("192.0.2.1"));
        IntStream.range(0, 10_000).forEach(i -> rate.admits("2001:db8::" + i));
        assertTrue(rate.admits("192.0.2.1"));
    }
}
