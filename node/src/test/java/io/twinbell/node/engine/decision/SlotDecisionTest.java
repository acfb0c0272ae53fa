package io.twinbell.node.engine.decision;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.twinbell.node.engine.StoredTasks;
import io.twinbell.node.engine.task.TaskDefinition;
import io.twinbell.persistence.cluster.Pause;
import io.twinbell.persistence.epoch.DoubtWindow;
import io.twinbell.persistence.ledger.DoubtReasons;
import io.twinbell.persistence.ledger.ExecutionState;
import io.twinbell.persistence.ledger.claim.DecidedSlot;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** How a due slot is decided. Times are seconds after {@link #T}; the misfire threshold is 30 s unless said otherwise. */
class SlotDecisionTest {
    private static final long T = StoredTasks.START + Duration.ofDays(1).toMillis();
    private static final Duration RETENTION = Duration.ofDays(7);
    private static final long NEVER = DecidedSlot.NONE;

    @ParameterizedTest(name = "every {0}, due at 0, looked at at {1} s → {2} until {3} s, {4} slots, next at {5} s")
    @CsvSource({
        // On time, and late within the threshold: each slot by itself.
        "PT10S, 0, CLAIMED, 0, 1, 10",
        "PT10S, 25, CLAIMED, 0, 1, 10",
        "PT10S, 30, CLAIMED, 0, 1, 10",
        // One overdue slot is the newest: it runs however late.
        "PT1H, 3599, CLAIMED, 0, 1, 3600",
        // More than one: all but the newest are one MISSED row, and the newest is next.
        "PT10S, 31, MISSED, 20, 3, 30",
        "PT10S, 40, MISSED, 30, 4, 40",
        "PT1H, 3600, MISSED, 0, 1, 3600",
        "PT0.010S, 60, MISSED, 59.99, 6000, 60",
        "PT10S, 432000, MISSED, 431990, 43200, 432000"
    })
    void a_slot_runs_or_is_missed_by_its_lateness(
            String every, double now, ExecutionState state, double until, long slots, double next) {
        DecidedSlot claim = decide("{\"every\":\"" + every + "\"}", 0, now);
        assertEquals(state, claim.entry().state());
        assertEquals(at(until), claim.entry().untilMillis());
        assertEquals(slots, claim.entry().slots());
        assertEquals(at(next), claim.nextMillis());
        assertFalse(claim.finished());
    }

    @Test
    void the_newest_slot_of_a_misfire_runs_even_if_it_is_late_itself() {
        DecidedSlot missed = decide("{\"every\":\"PT5M\"}", 0, 650);
        assertEquals(at(600), missed.nextMillis());
        DecidedSlot newest = decide("{\"every\":\"PT5M\"}", 600, 650);
        assertEquals(ExecutionState.CLAIMED, newest.entry().state());
    }

    @Test
    void a_threshold_of_zero_makes_any_lateness_a_misfire_and_none_on_time() {
        TaskDefinition definition =
                StoredTasks.definition(StoredTasks.EVERY_SECOND, ",\"misfire\":{\"threshold\":\"PT0S\"}");
        assertEquals(
                ExecutionState.CLAIMED, decide(definition, at(0), at(0)).entry().state());
        DecidedSlot late = decide(definition, at(0), at(1) + 1);
        assertEquals(ExecutionState.MISSED, late.entry().state());
        assertEquals(at(1), late.nextMillis());
    }

    @Test
    void a_one_shot_runs_once_and_is_finished_however_late() {
        for (double now : new double[] {0, 29, 31, 86_400}) {
            DecidedSlot claim = decide(atT(), 0, now);
            assertEquals(ExecutionState.CLAIMED, claim.entry().state());
            assertEquals(NEVER, claim.nextMillis());
            assertTrue(claim.finished());
        }
    }

    @ParameterizedTest(name = "every 10 s, looked at at {0} s → {1} until {2} s, {3} slots, next at {4} s")
    @CsvSource({
        "15, CLAIMED, 0, 1, 10",
        "15.001, MISSED, 0, 1, 10",
        "25.001, MISSED, 10, 2, 20",
        // Within its misfire threshold, and beyond it: what has expired goes first.
        "29, MISSED, 10, 2, 20",
        "95, MISSED, 70, 8, 80"
    })
    void slots_that_have_expired_are_missed_whatever_the_misfire_policy(
            double now, ExecutionState state, double until, long slots, double next) {
        TaskDefinition definition = StoredTasks.definition("{\"every\":\"PT10S\"}", ",\"expireAfter\":\"PT15S\"");
        DecidedSlot claim = decide(definition, at(0), at(now));
        assertEquals(state, claim.entry().state());
        assertEquals(at(until), claim.entry().untilMillis());
        assertEquals(slots, claim.entry().slots());
        assertEquals(at(next), claim.nextMillis());
    }

    @Test
    void an_expired_one_shot_is_finished_without_a_run() {
        TaskDefinition definition = StoredTasks.definition(atT(), ",\"expireAfter\":\"PT1M\"");
        assertEquals(
                ExecutionState.CLAIMED,
                decide(definition, at(0), at(60)).entry().state());
        DecidedSlot expired = decide(definition, at(0), at(60) + 1);
        assertEquals(ExecutionState.MISSED, expired.entry().state());
        assertEquals(
                "expired: not started within PT1M of its fire time",
                expired.entry().reason());
        assertTrue(expired.finished());
    }

    @Test
    void a_fire_time_older_than_retention_is_missed_and_never_claimed() {
        DecidedSlot claim = decide(atT(), 0, RETENTION.toSeconds() + 1);
        assertEquals(ExecutionState.MISSED, claim.entry().state());
        assertEquals("older than the ledger's retention", claim.entry().reason());
        assertTrue(claim.finished());
    }

    @Test
    void a_patient_threshold_does_not_make_a_slot_run_that_is_older_than_retention() {
        TaskDefinition patient =
                StoredTasks.definition("{\"every\":\"P1D\"}", ",\"misfire\":{\"threshold\":\"P365D\"}");
        long now = at(Duration.ofDays(10).toSeconds());
        DecidedSlot claim = decide(patient, at(0), now);
        assertEquals(ExecutionState.MISSED, claim.entry().state());
        assertEquals(3, claim.entry().slots(), "the days 0 to 2; the row of day 3 is kept until it is over");
        assertEquals(at(Duration.ofDays(3).toSeconds()), claim.nextMillis());
        DecidedSlot kept = decide(patient, claim.nextMillis(), now);
        assertEquals(ExecutionState.CLAIMED, kept.entry().state());
    }

    @Test
    void the_end_of_the_window_finishes_a_task_with_its_last_slot() {
        String end = ",\"end\":\"2026-01-06T00:00:20.000Z\"";
        TaskDefinition definition = StoredTasks.definition("{\"every\":\"PT10S\"}", end);
        assertFalse(decide(definition, at(10), at(10)).finished());
        DecidedSlot last = decide(definition, at(20), at(20));
        assertEquals(ExecutionState.CLAIMED, last.entry().state());
        assertTrue(last.finished());
        assertEquals(NEVER, last.nextMillis());
    }

    @Test
    void a_misfire_goes_no_further_than_the_end_of_the_window() {
        String end = ",\"end\":\"2026-01-06T00:00:20.000Z\"";
        TaskDefinition definition = StoredTasks.definition("{\"every\":\"PT10S\"}", end);
        DecidedSlot missed = decide(definition, at(0), at(3600));
        assertEquals(2, missed.entry().slots());
        assertEquals(at(20), missed.nextMillis(), "the last slot runs");
        assertTrue(decide(definition, at(20), at(3600)).finished());
    }

    @Test
    void a_task_that_follows_its_run_has_no_next_fire_time_until_the_run_has_ended() {
        DecidedSlot claim = decide(StoredTasks.DELAY_OF_A_MINUTE, 0, 0);
        assertEquals(ExecutionState.CLAIMED, claim.entry().state());
        assertEquals(NEVER, claim.nextMillis());
        assertFalse(claim.finished());
        DecidedSlot late = decide(StoredTasks.DELAY_OF_A_MINUTE, 0, 3600);
        assertEquals(ExecutionState.CLAIMED, late.entry().state(), "it has one overdue slot at most");
    }

    @Test
    void slots_in_a_pause_are_skipped_with_its_reason_and_the_next_one_after_it_runs() {
        Pause pause = new Pause(at(-5), at(25), "maintenance", "bob", false, null);
        DecidedSlot skipped = decide("{\"every\":\"PT10S\"}", 0, 27, pause);
        assertEquals(ExecutionState.SKIPPED, skipped.entry().state());
        assertEquals("firing was paused by bob: maintenance", skipped.entry().reason());
        assertEquals(3, skipped.entry().slots());
        assertEquals(at(20), skipped.entry().untilMillis());
        assertEquals(at(30), skipped.nextMillis());
    }

    @Test
    void slots_of_which_a_restored_database_knows_nothing_are_missed_if_somebody_wants_that() {
        Pause restore = new Pause(at(-5), at(25), "backup of Monday", "bob", true, null);
        DecidedSlot missed = decide("{\"every\":\"PT10S\"}", 0, 27, restore);
        assertEquals(ExecutionState.MISSED, missed.entry().state());
        assertEquals(
                "may have run before the database was restored; adopted by bob: backup of Monday",
                missed.entry().reason());
        assertEquals(3, missed.entry().slots());
    }

    @Test
    void a_slot_in_doubt_is_dropped_by_name_or_run_as_its_task_says() {
        SlotDecision.DecisionContext decisionContext =
                new SlotDecision.DecisionContext(at(12), List.of(), RETENTION, new DoubtWindow.DoubtBounds(at(10), 1));
        for (Map.Entry<String, String> policy : Map.of(
                        ",\"orphan\":\"DROP\"", "; dropped",
                        ",\"orphan\":\"RERUN\",\"onDoubt\":\"DROP\"", "; dropped",
                        ",\"onDoubt\":\"ASK\"", "; a person decides whether to rerun it")
                .entrySet()) {
            DecidedSlot dropped = SlotDecision.decide(inDoubt(policy.getKey()), decisionContext);
            assertEquals(ExecutionState.DROPPED, dropped.entry().state(), policy.getKey());
            assertEquals(
                    DoubtReasons.IN_DOUBT + policy.getValue(), dropped.entry().reason());
            assertEquals(1, dropped.entry().slots());
            assertEquals(at(11), dropped.nextMillis());
        }
        for (String policy : List.of(",\"orphan\":\"RERUN\"", ",\"onDoubt\":\"RERUN\"")) {
            DecidedSlot run = SlotDecision.decide(inDoubt(policy), decisionContext);
            assertEquals(ExecutionState.CLAIMED, run.entry().state(), policy);
            assertEquals(DoubtReasons.IN_DOUBT + "; run again", run.entry().reason());
        }
        SlotDecision.DecisionContext later =
                new SlotDecision.DecisionContext(at(12), List.of(), RETENTION, new DoubtWindow.DoubtBounds(at(9), 1));
        assertEquals(null, SlotDecision.decide(inDoubt(""), later).entry().reason());
        SlotDecision.DecisionContext before =
                new SlotDecision.DecisionContext(at(12), List.of(), RETENTION, new DoubtWindow.DoubtBounds(at(10), 0));
        assertEquals(
                null, SlotDecision.decide(inDoubt(""), before).entry().reason(), "the task was added after the loss");
    }

    @Test
    void slots_in_doubt_that_are_too_late_to_run_again_are_named_and_no_others_with_them() {
        SlotDecision.DecisionContext decisionContext = new SlotDecision.DecisionContext(
                at(60), List.of(), RETENTION, new DoubtWindow.DoubtBounds(at(14.5), 1));
        DecidedSlot dropped = SlotDecision.decide(inDoubt(",\"onDoubt\":\"RERUN\""), decisionContext);
        assertEquals(ExecutionState.DROPPED, dropped.entry().state());
        assertEquals(5, dropped.entry().slots());
        assertEquals(at(14), dropped.entry().untilMillis());
        assertEquals(
                DoubtReasons.IN_DOUBT + "; misfire: overdue by more than PT30S, the newest slot runs",
                dropped.entry().reason());
        assertEquals(at(15), dropped.nextMillis());
        DecidedSlot newest = SlotDecision.decide(
                inDoubt(",\"onDoubt\":\"RERUN\""),
                new SlotDecision.DecisionContext(at(60), List.of(), RETENTION, new DoubtWindow.DoubtBounds(at(60), 1)));
        assertEquals(50, newest.entry().slots());
        assertEquals(at(59), newest.entry().untilMillis());
    }

    @Test
    void a_lasting_pause_skips_only_slots_that_have_passed() {
        Pause open = new Pause(at(-5), Long.MAX_VALUE, "open", "bob", false, null);
        DecidedSlot skipped = decide("{\"every\":\"PT10S\"}", 0, 14, open);
        assertEquals(2, skipped.entry().slots());
        assertEquals(at(20), skipped.nextMillis());
    }

    @Test
    void a_slot_just_before_a_pause_or_after_it_is_no_matter_of_the_pause() {
        Pause pause = new Pause(at(1), at(2), "short", "bob", false, null);
        assertEquals(
                ExecutionState.CLAIMED,
                decide(StoredTasks.EVERY_SECOND, 0, 3, pause).entry().state());
        assertEquals(
                ExecutionState.CLAIMED,
                decide(StoredTasks.EVERY_SECOND, 3, 3, pause).entry().state());
    }

    @Test
    void an_open_standing_pause_skips_what_was_due_before_it_and_what_is_claimed_ahead() {
        Pause open = new Pause(at(5), at(50), "stocktaking", "bob", false, "app:shop");
        DecidedSlot late = decide("{\"every\":\"PT10S\"}", 0, 12, open);
        assertEquals(
                "firing was paused by bob for app:shop: stocktaking",
                late.entry().reason());
        assertEquals(2, late.entry().slots());
        DecidedSlot ahead = decide("{\"every\":\"PT10S\"}", 20, 19, open);
        assertEquals(ExecutionState.SKIPPED, ahead.entry().state());
        assertEquals(at(30), ahead.nextMillis());
        assertEquals(
                ExecutionState.CLAIMED,
                decide("{\"every\":\"PT10S\"}", 60, 49, open).entry().state(),
                "it is due after the end of the pause");
    }

    @Test
    void a_standing_pause_concerns_only_the_tasks_that_have_its_key() {
        Pause open = new Pause(at(-5), Long.MAX_VALUE, "stocktaking", "bob", false, "tag:nightly");
        SlotDecision.DecisionContext context = new SlotDecision.DecisionContext(at(0), List.of(open), RETENTION);
        assertFalse(context.isFiringHeld());
        assertEquals(
                List.of(open), context.of(() -> List.of("app:a", "tag:nightly")).pauses());
        assertEquals(List.of(), context.of(() -> List.of("app:nightly")).pauses());
    }

    @Test
    void a_pause_finishes_a_one_shot_and_moves_a_task_that_follows_its_run() {
        Pause pause = new Pause(at(-5), at(25), "maintenance", "bob", false, null);
        assertTrue(decide(atT(), 0, 27, pause).finished());
        DecidedSlot delayed = decide(StoredTasks.DELAY_OF_A_MINUTE, 0, 27, pause);
        assertFalse(delayed.finished());
        assertEquals(at(87), delayed.nextMillis(), "a minute after the end of what did not run");
    }

    @Test
    void a_backlog_of_a_cron_schedule_is_entered_row_by_row_and_no_slot_is_left_out() {
        TaskDefinition everySecond = StoredTasks.definition("{\"cron\":\"* * * * * ?\"}");
        long now = at(250_000);
        List<DecidedSlot> claims = new ArrayList<>();
        long due = at(0);
        while (claims.isEmpty() || claims.get(claims.size() - 1).entry().state() == ExecutionState.MISSED) {
            DecidedSlot claim = decide(everySecond, due, now);
            assertEquals(due, claim.expectedMillis());
            assertEquals(claim.entry().untilMillis() + 1000, claim.nextMillis());
            claims.add(claim);
            due = claim.nextMillis();
        }
        assertEquals(
                250_001,
                claims.stream().mapToLong(claim -> claim.entry().slots()).sum());
        assertEquals(now, claims.get(claims.size() - 1).expectedMillis(), "the newest slot runs");
        assertTrue(claims.size() <= 5, "in few rows: " + claims.size());
    }

    @Test
    void a_fire_time_that_was_set_by_hand_runs_and_leads_back_to_the_schedule() {
        DecidedSlot claim = decide("{\"every\":\"PT10S\"}", 3, 4);
        assertEquals(ExecutionState.CLAIMED, claim.entry().state());
        assertEquals(at(10), claim.nextMillis());
    }

    @Test
    void a_claim_carries_what_it_was_decided_on() {
        DecidedSlot claim = SlotDecision.decide(
                new SlotDecision.Due(7, 3, StoredTasks.definition(StoredTasks.EVERY_SECOND), at(0), false, 0),
                world(at(0)));
        assertEquals(7, claim.taskId());
        assertEquals(3, claim.version());
        assertEquals(at(0), claim.expectedMillis());
    }

    private static SlotDecision.Due inDoubt(String policy) {
        return new SlotDecision.Due(1, 1, StoredTasks.definition(StoredTasks.EVERY_SECOND, policy), at(10), false, 0);
    }

    private static String atT() {
        return "{\"at\":\"2026-01-06T00:00:00.000Z\"}";
    }

    private static DecidedSlot decide(String schedule, double fire, double now, Pause... pauses) {
        return decide(StoredTasks.definition(schedule), at(fire), at(now), pauses);
    }

    private static DecidedSlot decide(TaskDefinition definition, long fireMillis, long nowMillis, Pause... pauses) {
        return SlotDecision.decide(
                new SlotDecision.Due(1, 1, definition, fireMillis, false, 0), world(nowMillis, pauses));
    }

    private static SlotDecision.DecisionContext world(long nowMillis, Pause... pauses) {
        return new SlotDecision.DecisionContext(nowMillis, List.of(pauses), RETENTION);
    }

    private static long at(double seconds) {
        return T + Math.round(seconds * 1000);
    }
}
