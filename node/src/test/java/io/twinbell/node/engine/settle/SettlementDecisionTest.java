package io.twinbell.node.engine.settle;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.twinbell.node.engine.StoredTasks;
import io.twinbell.node.engine.task.TaskDefinition;
import io.twinbell.persistence.ledger.Attempt;
import io.twinbell.persistence.ledger.Completion;
import io.twinbell.persistence.ledger.Slot;
import io.twinbell.persistence.ledger.recovery.Settlement;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SettlementDecisionTest {
    private static final long NOW = StoredTasks.START + 3_600_000;

    @ParameterizedTest(name = "{0}, fire time {1} ms from now, attempt {2} → attempt {3}")
    @CsvSource({
        "DROP, 0, 1, 0",
        "DROP, -5000, 2, 0",
        "RERUN, 0, 1, 2",
        "RERUN, -5000, 2, 3",
        // Nothing starts before its instant: what was not due when trust had ended has not begun.
        "DROP, 1, 1, 1",
        "RERUN, 1, 3, 3",
        "RERUN, 500, 1, 1",
        // Nor is anything claimed so far ahead: a clock was set back, by which it may have begun.
        "DROP, 501, 1, 0",
        "RERUN, 3600000, 1, 2"
    })
    void the_orphan_policy_and_the_instant_decide(String policy, long ahead, int attempt, int newAttempt) {
        TaskDefinition definition = StoredTasks.definition(StoredTasks.EVERY_SECOND, ",\"orphan\":\"" + policy + "\"");
        Settlement settled = SettlementDecision.decide(orphan(attempt, NOW + ahead), definition, NOW, NOW);
        assertEquals(newAttempt, settled.newAttempt());
        assertEquals(newAttempt > 0, settled.isRerun());
        assertEquals(Completion.NOT_FOLLOWED, settled.nextMillis());
        assertTrue(settled.reason().startsWith("attempt " + attempt + " was left without an outcome by a (epoch 1)"));
    }

    @Test
    void a_slot_due_after_the_process_ended_has_not_begun() {
        TaskDefinition definition = StoredTasks.definition(StoredTasks.EVERY_SECOND);
        Settlement due = SettlementDecision.decide(orphan(1, NOW - 40), definition, NOW - 50, NOW);
        assertEquals(1, due.newAttempt());
        Settlement begun = SettlementDecision.decide(orphan(1, NOW - 60), definition, NOW - 50, NOW);
        assertFalse(begun.isRerun());
    }

    @Test
    void a_dropped_run_of_a_task_that_follows_its_runs_counts_as_ended_now() {
        Settlement settled = SettlementDecision.decide(
                orphan(1, NOW), StoredTasks.definition(StoredTasks.DELAY_OF_A_MINUTE), NOW, NOW);
        assertEquals(NOW + 60_000, settled.nextMillis());
    }

    @Test
    void a_run_that_is_begun_again_tells_its_tasks_next_fire_time_itself() {
        TaskDefinition rerun = StoredTasks.definition(StoredTasks.DELAY_OF_A_MINUTE, ",\"orphan\":\"RERUN\"");
        assertEquals(
                Completion.NOT_FOLLOWED,
                SettlementDecision.decide(orphan(1, NOW), rerun, NOW, NOW).nextMillis());
    }

    @Test
    void a_dropped_run_after_the_end_of_its_window_finishes_its_task() {
        TaskDefinition ended =
                StoredTasks.definition(StoredTasks.DELAY_OF_A_MINUTE, ",\"end\":\"2026-01-05T00:30:00.000Z\"");
        assertEquals(
                Completion.FINISHED,
                SettlementDecision.decide(orphan(1, NOW), ended, NOW, NOW).nextMillis());
    }

    @Test
    void an_orphan_whose_task_is_gone_is_dropped() {
        Settlement settled = SettlementDecision.decide(orphan(1, NOW + 10_000), null, NOW, NOW);
        assertFalse(settled.isRerun());
        assertTrue(settled.reason().endsWith("its task is gone"));
    }

    private static Attempt orphan(int attempt, long fireMillis) {
        return new Attempt(new Slot(1, fireMillis), "app", "name", attempt, 1, "a", "{}", false, List.of());
    }
}
