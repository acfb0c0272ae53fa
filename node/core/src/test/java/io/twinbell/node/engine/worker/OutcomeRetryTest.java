package io.twinbell.node.engine.worker;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.twinbell.node.engine.KeptRecorder;
import io.twinbell.node.engine.TestRuns;
import io.twinbell.node.engine.run.ReadRequests;
import io.twinbell.node.engine.run.RunRegistry;
import io.twinbell.node.engine.step.EngineEvent;
import io.twinbell.node.loop.Loop;
import io.twinbell.node.loop.Signals;
import io.twinbell.persistence.database.DatabaseUnavailableException;
import io.twinbell.persistence.epoch.Epoch;
import io.twinbell.persistence.ledger.Completion;
import io.twinbell.persistence.ledger.ExecutionState;
import io.twinbell.persistence.ledger.Slot;
import io.twinbell.persistence.testing.HandTicker;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** Outcomes set aside, of rows that no run could be made of. */
class OutcomeRetryTest {
    private static final Epoch EPOCH = new Epoch(1, UUID.randomUUID(), "a", 0);

    private final List<Completion> kept = new ArrayList<>();
    private final KeptRecorder recorder = new KeptRecorder(kept);
    private final RunRegistry runRegistry = new RunRegistry(
            RunRegistry.Bounds.of(100, 0), TestRuns.NO_PRESSURE, new ReadRequests(new Signals<>(EngineEvent.class)));
    private final HandTicker ticker = new HandTicker();
    private final OutcomeWriter writer = new OutcomeWriter(recorder, runRegistry, (epoch, writes) -> {}, () -> 0);
    private final OutcomeIsolation isolation =
            new OutcomeIsolation(writer, runRegistry, new Loop("recorder", ticker), ticker, writer::forget);

    private static DatabaseUnavailableException failure(String state) {
        return new DatabaseUnavailableException("record", new SQLException("test", state));
    }

    private PendingRecord unrun(long task) {
        writer.countUnrun();
        return PendingRecord.unrun(new Completion(
                EPOCH,
                new Slot(task, TestRuns.START),
                1,
                ExecutionState.FAILED,
                new Completion.RunTimes(Long.MAX_VALUE, 1),
                new Completion.Text(null, "unreadable", null),
                Completion.NOT_FOLLOWED));
    }

    @Test
    void an_outage_during_a_hand_over_leaves_all_outcomes_wanted() {
        recorder.failure = failure("55P03");
        isolation.add(List.of(unrun(1), unrun(2)));
        isolation.step();
        isolation.retryAll();
        recorder.failure = failure("08006");
        assertThrows(DatabaseUnavailableException.class, isolation::step);
        recorder.failure = null;
        isolation.step();
        assertEquals(2, kept.size(), "although their pauses are not over");
    }

    @Test
    void an_outcome_that_is_recorded_without_its_texts_is_counted_once() {
        recorder.fails =
                completions -> "unreadable".equals(completions.get(0).text().error()) ? failure("23514") : null;
        isolation.add(List.of(unrun(1)));
        isolation.step();
        assertEquals(1, kept.size());
        assertEquals(0, writer.unrun());
    }
}
