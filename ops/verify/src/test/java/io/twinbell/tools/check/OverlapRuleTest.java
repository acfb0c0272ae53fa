package io.twinbell.tools.check;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.twinbell.node.engine.task.Overlap;
import io.twinbell.tools.check.history.CheckedSlot;
import io.twinbell.tools.check.history.LedgerReasons;
import io.twinbell.tools.check.history.LedgerRow;
import io.twinbell.tools.check.history.LedgerRow.State;
import io.twinbell.tools.check.history.RuleContext;
import io.twinbell.tools.check.history.TaskPolicyFacts;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** A task fires every second; its slot at 100 s is skipped a millisecond later, under epoch 2. */
class OverlapRuleTest {
    private static final long FIRE = 100_000;
    private static final String WHY = "an earlier execution of this task was still running";
    private static final List<Rule> WRONG = List.of(Rule.SKIPPED_UNEXPLAINED);

    private final List<LedgerRow> before = new ArrayList<>();
    private final List<LedgerRow> rows = new ArrayList<>();

    @ParameterizedTest
    @CsvSource({"100500, true", "100001, true", "99900, true", "99800, false", "99021, false"})
    void a_slot_is_skipped_while_another_run_of_its_task_is_under_way(long endOfTheOther, boolean isRight) {
        ran(FIRE - 1000, endOfTheOther, 2);
        skipped();

        assertEquals(isRight ? List.of() : WRONG, found(Overlap.SKIP));
    }

    @Test
    void a_slot_that_is_skipped_for_nothing_is_found() {
        skipped();
        assertEquals(WRONG, found(Overlap.SKIP));
    }

    @Test
    void a_skipped_or_missed_slot_blocks_no_other() {
        skipped(FIRE - 50, FIRE - 49);
        row(FIRE - 20, State.MISSED, 1, 2, FIRE, OptionalLong.of(FIRE + 1), "misfire");
        skipped();
        assertEquals(List.of(Rule.SKIPPED_UNEXPLAINED, Rule.SKIPPED_UNEXPLAINED), found(Overlap.SKIP));
    }

    /** A slot that was handed back is claimed again behind what was claimed meanwhile. */
    @Test
    void the_other_run_may_have_a_later_fire_time_but_not_one_that_was_yet_to_come() {
        skipped(FIRE - 3000, FIRE + 1);
        ran(FIRE, FIRE + 400, 2);
        assertEquals(List.of(), found(Overlap.SKIP));

        rows.clear();
        skipped(FIRE - 3000, FIRE - 1);
        ran(FIRE, FIRE + 400, 2);
        assertEquals(WRONG, found(Overlap.SKIP));
    }

    @Test
    void an_execution_without_an_outcome_is_under_way() {
        row(FIRE - 9000, State.RUNNING, 1, 2, FIRE - 9000, OptionalLong.empty(), null);
        skipped();
        assertEquals(List.of(), found(Overlap.SKIP));
    }

    /** The process learns later that a retry is over, or that what another master drains is. */
    @Test
    void a_retry_and_a_run_of_another_epoch_are_in_the_way_until_the_process_has_been_told() {
        row(FIRE - 9000, State.SUCCEEDED, 2, 2, FIRE - 9000, OptionalLong.of(FIRE - 3000), null);
        skipped();
        assertEquals(List.of(), found(Overlap.SKIP));

        rows.clear();
        ran(FIRE - 9000, FIRE - 3000, 1);
        skipped();
        assertEquals(List.of(), found(Overlap.SKIP));

        rows.clear();
        ran(FIRE - 90_000, FIRE - OverlapRule.NOTICE_MILLIS - 1, 1);
        skipped();
        assertEquals(WRONG, found(Overlap.SKIP));
    }

    /** A master that was frozen, replaced and elected again still runs its old handler. */
    @Test
    void a_process_may_be_at_what_was_dropped_long_ago_until_it_has_run_the_task_again() {
        row(FIRE - 90_000, State.DROPPED, 1, 1, FIRE - 90_000, OptionalLong.of(FIRE - 60_000), "left");
        skipped();
        assertEquals(List.of(), found(Overlap.SKIP));

        rows.clear();
        row(FIRE - 90_000, State.DROPPED, 1, 1, FIRE - 90_000, OptionalLong.of(FIRE - 60_000), "left");
        ran(FIRE - 1000, FIRE - 980, 2);
        skipped();
        assertEquals(WRONG, found(Overlap.SKIP));
    }

    @Test
    void a_full_queue_is_told_by_the_databases_clock_and_an_end_by_that_of_a_process_that_may_have_slept() {
        ran(FIRE - 1000, FIRE - 300, 2);
        row(FIRE, State.SKIPPED, 1, 2, FIRE, OptionalLong.of(FIRE + 1), WHY + ", and 1" + LedgerReasons.QUEUE_FULL);
        assertEquals(List.of(), found(Overlap.QUEUE));

        rows.clear();
        ran(FIRE - 90_000, FIRE - OverlapRule.NOTICE_MILLIS, 2);
        row(FIRE, State.SKIPPED, 1, 2, FIRE, OptionalLong.of(FIRE + 1), WHY + ", and 1" + LedgerReasons.QUEUE_FULL);
        assertEquals(WRONG, found(Overlap.QUEUE));
    }

    @Test
    void a_slot_that_an_interceptor_skipped_needs_no_other_run() {
        row(FIRE, State.SKIPPED, 1, 2, FIRE, OptionalLong.of(FIRE + 1), LedgerReasons.INTERCEPTED + "holiday: closed");
        assertEquals(List.of(), found(Overlap.ALLOW));

        rows.clear();
        row(FIRE, State.SKIPPED, 1, 2, FIRE, OptionalLong.of(FIRE + 1), "not " + LedgerReasons.INTERCEPTED + "holiday");
        assertEquals(1, found(Overlap.ALLOW).size());
    }

    @Test
    void a_run_before_the_span_may_reach_into_it() {
        before.add(run(FIRE - 1_000_000, FIRE + 50, 2));
        skipped();
        assertEquals(List.of(), found(Overlap.SKIP));
    }

    @ParameterizedTest
    @EnumSource(Overlap.class)
    void a_task_whose_policy_is_another_skips_nothing(Overlap overlap) {
        ran(FIRE - 1000, FIRE + 500, 2);
        skipped();

        boolean skips = overlap == Overlap.SKIP || overlap == Overlap.QUEUE;
        assertEquals(skips ? List.of() : WRONG, found(overlap));
    }

    @Test
    void no_rule_judges_a_policy_that_changed_since() {
        ran(FIRE - 1000, FIRE + 500, 2);
        skipped();
        assertEquals(List.of(), found(new RuleContext(policies(Overlap.ALLOW), FIRE + 5000, List.of(), true)));
    }

    @Test
    void a_pause_of_all_firing_is_a_reason_only_where_there_may_have_been_one() {
        row(FIRE, State.SKIPPED, 1, 2, FIRE, OptionalLong.of(FIRE), LedgerReasons.FIRING_PAUSED + "a: an upgrade");
        assertEquals(List.of(), found(new RuleContext(policies(Overlap.SKIP), Long.MIN_VALUE, List.of(), true)));
        assertEquals(WRONG, found(Overlap.SKIP));
    }

    private void skipped() {
        skipped(FIRE, FIRE + 1);
    }

    private void skipped(long fire, long at) {
        row(fire, State.SKIPPED, 1, 2, fire, OptionalLong.of(at), WHY);
    }

    private void ran(long fire, long end, long epoch) {
        rows.add(run(fire, end, epoch));
    }

    private static LedgerRow run(long fire, long end, long epoch) {
        return new LedgerRow(
                new CheckedSlot(1, fire),
                new LedgerRow.CoveredRange(fire, 1),
                State.SUCCEEDED,
                new LedgerRow.LatestClaim(1, epoch, OptionalLong.of(fire - 10)),
                new LedgerRow.Times(OptionalLong.of(fire), OptionalLong.of(end)),
                null);
    }

    private void row(long fire, State state, int attempt, long epoch, long claimed, OptionalLong end, String reason) {
        rows.add(new LedgerRow(
                new CheckedSlot(1, fire),
                new LedgerRow.CoveredRange(fire, 1),
                state,
                new LedgerRow.LatestClaim(attempt, epoch, OptionalLong.of(claimed)),
                new LedgerRow.Times(
                        state.saysNotRun() ? OptionalLong.empty() : OptionalLong.of(Math.max(claimed, fire)), end),
                reason));
    }

    private static TaskPolicyFacts policies(Overlap overlap) {
        return new TaskPolicyFacts(false, overlap, 1, OptionalLong.empty(), OptionalLong.empty());
    }

    private List<Rule> found(Overlap overlap) {
        return found(new RuleContext(policies(overlap)));
    }

    private List<Rule> found(RuleContext context) {
        List<Rule> found = new ArrayList<>();
        OverlapRule rule = new OverlapRule(context, violation -> found.add(violation.rule()));
        before.forEach(rule::before);
        rows.forEach(rule::row);
        rule.end();
        return found;
    }
}
