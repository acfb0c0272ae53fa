package io.twinbell.node.engine.step;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.twinbell.node.engine.TestRuns;
import io.twinbell.persistence.epoch.Epoch;
import io.twinbell.persistence.testing.HandTicker;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;

class TrustWindowTest {
    private static final Epoch EPOCH = TestRuns.epoch(1);

    private final HandTicker ticker = new HandTicker();
    private final HandTicker uptime = new HandTicker();
    private long wallMillis = TestRuns.START;
    private final TrustWindow trust = new TrustWindow(ticker, uptime, () -> Instant.ofEpochMilli(wallMillis));

    @Test
    void there_is_none_before_the_first_proof() {
        assertFalse(trust.holds(EPOCH));
    }

    @Test
    void it_is_counted_from_before_the_statement_and_ends_after_a_second() {
        TrustWindow.Proof proof = trust.before(EPOCH);
        passes(900);
        trust.proven(proof);
        passes(99);
        assertTrue(trust.holds(EPOCH));
        passes(1);
        assertFalse(trust.holds(EPOCH));
    }

    @Test
    void an_answer_that_took_longer_than_the_window_proves_nothing() {
        TrustWindow.Proof proof = trust.before(EPOCH);
        passes(1000);
        trust.proven(proof);
        assertFalse(trust.holds(EPOCH));
    }

    @Test
    void a_statement_that_was_sent_and_never_answered_proves_nothing() {
        trust.before(EPOCH);
        assertFalse(trust.holds(EPOCH));
    }

    @Test
    void an_older_statement_that_is_answered_late_does_not_shorten_it() {
        TrustWindow.Proof older = trust.before(EPOCH);
        passes(500);
        trust.proven(trust.before(EPOCH));
        trust.proven(older);
        passes(999);
        assertTrue(trust.holds(EPOCH));
    }

    @Test
    void it_holds_for_the_epoch_that_was_proven_and_no_other() {
        trust.proven(trust.before(EPOCH));
        assertFalse(trust.holds(TestRuns.epoch(2)));
        assertFalse(trust.holds(new Epoch(1, TestRuns.epoch(2).token(), "a", 0)), "the same number, another owner");
    }

    @Test
    void a_process_that_was_frozen_wakes_up_without_it() {
        trust.proven(trust.before(EPOCH));
        passes(60_000);
        assertFalse(trust.holds(EPOCH));
    }

    @Test
    void a_machine_that_slept_with_its_monotonic_clock_wakes_up_without_it() {
        trust.proven(trust.before(EPOCH));
        wallMillis += 501;
        assertFalse(trust.holds(EPOCH));
    }

    @Test
    void a_jump_of_the_wall_clock_ends_it_either_way_until_the_next_proof() {
        trust.proven(trust.before(EPOCH));
        wallMillis -= 501;
        assertFalse(trust.holds(EPOCH));
        passes(1);
        trust.proven(trust.before(EPOCH));
        assertTrue(trust.holds(EPOCH));
    }

    @Test
    void a_small_step_of_the_wall_clock_does_not_end_it() {
        trust.proven(trust.before(EPOCH));
        wallMillis += 500;
        assertTrue(trust.holds(EPOCH));
    }

    @Test
    void a_machine_whose_wall_clock_was_put_back_in_its_sleep_wakes_up_without_it_all_the_same() {
        trust.proven(trust.before(EPOCH));
        uptime.pass(Duration.ofMillis(2460));
        wallMillis += 2460 - 2000;
        assertFalse(trust.holds(EPOCH));
        passes(1);
        trust.proven(trust.before(EPOCH));
        assertTrue(trust.holds(EPOCH));
    }

    @Test
    void nor_does_a_wall_clock_that_was_put_back_by_just_as_much_hide_it() {
        trust.proven(trust.before(EPOCH));
        assertTrue(trust.holds(EPOCH));
        passes(1);
        uptime.pass(Duration.ofMillis(2460));
        assertFalse(trust.holds(EPOCH));
    }

    @Test
    void an_uptime_that_goes_in_steps_does_not_end_it() {
        trust.proven(trust.before(EPOCH));
        uptime.pass(Duration.ofMillis(10));
        wallMillis -= 3;
        assertTrue(trust.holds(EPOCH));
    }

    private void passes(long millis) {
        ticker.pass(Duration.ofMillis(millis));
        uptime.pass(Duration.ofMillis(millis));
        wallMillis += millis;
    }
}
