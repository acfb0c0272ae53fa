package io.twinbell.node.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.twinbell.node.engine.decision.MisfireDecision;
import io.twinbell.node.engine.decision.SlotDecision;
import io.twinbell.node.engine.handler.HandlerOutcome;
import io.twinbell.node.engine.settle.SettlementDecision;
import io.twinbell.node.engine.settle.Settler;
import io.twinbell.node.engine.task.Misfire;
import io.twinbell.node.engine.task.TaskDefinition;
import io.twinbell.persistence.cluster.Pause;
import io.twinbell.persistence.ledger.Attempt;
import io.twinbell.persistence.ledger.DoubtReasons;
import io.twinbell.persistence.ledger.Slot;
import io.twinbell.tools.check.history.LedgerReasons;
import io.twinbell.tools.check.history.TaskPolicyFacts;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The checker reads some of what the engine writes down as a reason. */
class ReasonsTest {
    private static final long NOW = StoredTasks.START;

    @ParameterizedTest
    @ValueSource(strings = {"PT0S", "PT0.5S", "PT30S", "PT2M", "PT26H10M0.001S"})
    void a_misfire_names_its_threshold(String threshold) {
        for (Misfire.Policy policy : Misfire.Policy.values()) {
            Misfire misfire = new Misfire(policy, Duration.parse(threshold), 3, Misfire.Order.NEWEST);

            assertEquals(
                    Optional.of(Duration.parse(threshold)), LedgerReasons.threshold(MisfireDecision.reason(misfire)));
        }
    }

    @Test
    void an_expired_slot_names_how_late_it_could_have_started() {
        for (Duration expireAfter : List.of(Duration.ofMillis(1), Duration.ofHours(36), Duration.ofDays(365))) {
            assertEquals(Optional.of(expireAfter), LedgerReasons.expireAfter(SlotDecision.expired(expireAfter)));
        }
    }

    @Test
    void other_reasons_name_none() {
        assertEquals(Optional.empty(), LedgerReasons.threshold(null));
        assertEquals(Optional.empty(), LedgerReasons.threshold("misfire"));
        assertEquals(Optional.empty(), LedgerReasons.threshold(SlotDecision.TOO_OLD));
    }

    @Test
    void a_slot_passed_over_says_why() {
        assertEquals(LedgerReasons.TOO_OLD, SlotDecision.TOO_OLD);
        assertEquals(LedgerReasons.RESTORED, SlotDecision.RESTORED);
        assertEquals(LedgerReasons.IN_DOUBT, DoubtReasons.IN_DOUBT);
        assertEquals(LedgerReasons.INTERCEPTED, HandlerOutcome.SKIPPED_BY);
        assertEquals(LedgerReasons.RULES_CHANGED, SlotDecision.RULES_CHANGED);
        SlotDecision.Due due =
                new SlotDecision.Due(1, 1, StoredTasks.definition(StoredTasks.EVERY_SECOND), NOW, false, 0);
        Pause pause = new Pause(NOW - 1000, NOW + 1000, "an upgrade", "ann", false, null);
        String paused = SlotDecision.decide(
                        due, new SlotDecision.DecisionContext(NOW, List.of(pause), Duration.ofDays(7)))
                .entry()
                .reason();
        assertTrue(paused.startsWith(LedgerReasons.FIRING_PAUSED), paused);
    }

    @Test
    void a_settlement_says_what_was_left_and_how_it_ends() {
        String dropped = settled(1, "DROP");
        assertTrue(dropped.contains(LedgerReasons.LEFT) && !dropped.endsWith(LedgerReasons.RUN_AGAIN), dropped);
        String again = settled(1, "RERUN");
        assertTrue(again.contains(LedgerReasons.LEFT) && again.endsWith(LedgerReasons.RUN_AGAIN), again);
        String usedUp = settled(SettlementDecision.ATTEMPTS_OF_A_RERUN, "RERUN");
        assertTrue(usedUp.contains(LedgerReasons.LEFT) && !usedUp.endsWith(LedgerReasons.RUN_AGAIN), usedUp);
        String gone = SettlementDecision.decide(orphan(1), null, NOW, NOW).reason();
        assertTrue(gone.endsWith(LedgerReasons.TASK_GONE), gone);
        assertEquals(LedgerReasons.RELEASED, Settler.RELEASED);
        assertEquals(TaskPolicyFacts.ATTEMPTS_OF_A_RERUN, SettlementDecision.ATTEMPTS_OF_A_RERUN);
    }

    private static String settled(int attempt, String policy) {
        TaskDefinition definition = StoredTasks.definition(StoredTasks.EVERY_SECOND, ",\"orphan\":\"" + policy + "\"");
        return SettlementDecision.decide(orphan(attempt), definition, NOW, NOW).reason();
    }

    private static Attempt orphan(int attempt) {
        return new Attempt(new Slot(1, NOW - 1000), "app", "name", attempt, 1, "a", "{}", false, List.of());
    }
}
