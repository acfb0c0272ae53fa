package io.twinbell.node.engine.run;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.twinbell.node.engine.TestRuns;
import io.twinbell.node.engine.handler.Parking;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class RunTest {
    private final Run run = TestRuns.run(1, 1000);

    @Test
    void it_begins_once() {
        assertTrue(run.begin(5678));
        assertFalse(run.begin(6789));
        assertEquals(5678, run.startedMicros());
        assertEquals(5, run.startedMillis());
        assertTrue(run.isRunning());
    }

    @Test
    void it_has_a_journal_once_it_has_begun() {
        assertNull(run.attemptReports());
        run.begin(5);
        assertNotNull(run.attemptReports());
        assertSame(run.attemptReports(), run.call(Parking.NONE).attemptReports());
    }

    @Test
    void a_run_handed_back_neither_begins_nor_ends() {
        assertTrue(run.handBack());
        assertFalse(run.begin(5));
        assertFalse(run.end());
        assertFalse(run.handBack());
    }

    @Test
    void a_started_run_is_not_handed_back() {
        run.begin(5);
        assertFalse(run.handBack());
        assertTrue(run.end());
    }

    @Test
    void it_ends_once() {
        run.begin(5);
        assertTrue(run.end());
        assertFalse(run.end());
    }

    @Test
    void its_row_is_told_to_be_running_once() {
        assertTrue(run.takeRunningMark());
        assertFalse(run.takeRunningMark());
    }

    @Test
    void stopping_interrupts_the_thread_that_it_is_on() {
        assertTrue(run.enter(Thread.currentThread()));
        assertTrue(run.isOnThread());
        run.stop();
        assertTrue(Thread.interrupted());
        run.leave(null);
        assertFalse(run.isOnThread());
    }

    @Test
    void stopping_before_the_handler_entered_keeps_it_from_entering() {
        run.stop();
        assertFalse(run.enter(Thread.currentThread()));
        assertFalse(Thread.interrupted());
    }

    @Test
    void stopping_cancels_what_it_waits_for_whether_before_or_after_it_began_to_wait() {
        CompletableFuture<Void> waiting = new CompletableFuture<>();
        run.enter(Thread.currentThread());
        run.leave(waiting);
        run.stop();
        assertTrue(waiting.isCancelled());
        CompletableFuture<Void> late = new CompletableFuture<>();
        run.leave(late);
        assertTrue(late.isCancelled());
    }
}
