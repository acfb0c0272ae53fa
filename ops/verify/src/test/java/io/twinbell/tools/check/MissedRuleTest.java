package io.twinbell.tools.check;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.twinbell.tools.check.history.CheckedSlot;
import io.twinbell.tools.check.history.LedgerReasons;
import io.twinbell.tools.check.history.LedgerRow;
import io.twinbell.tools.check.history.LedgerRow.State;
import io.twinbell.tools.check.history.OwedSlotPlan;
import io.twinbell.tools.check.history.RuleContext;
import io.twinbell.tools.check.history.TaskPolicyFacts;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A slot is a misfire when it is more than two seconds late, unless a test says otherwise. */
class MissedRuleTest {
    private static final TaskPolicyFacts POLICIES = Story.policies(false, false, 1);
    private static final String MISFIRE = "misfire: overdue by more than PT2S, the newest slot runs";
    private static final RuleContext LATER_POLICIES = new RuleContext(POLICIES, 50_000, List.of(), true);

    @ParameterizedTest
    @CsvSource({"8001, true", "8000, false", "6000, false", "5990, false"})
    void a_slot_decided_after_its_threshold_is_rightly_missed(long decided, boolean isRight) {
        assertEquals(expected(isRight), missed(6000, decided, MISFIRE).broken());
        assertEquals(expected(isRight), missed(6000, decided, MISFIRE).brokenAlive());
    }

    @Test
    void a_reason_that_says_another_threshold_than_the_task_has_makes_nothing_right() {
        assertEquals(
                expected(false),
                missed(6000, 7000, "misfire: overdue by more than PT0.5S, the newest slot runs")
                        .broken());
    }

    /** The task has been edited since then, so only what the row itself says is certain. */
    @ParameterizedTest
    @CsvSource({"PT2S, 7500, false", "PT1S, 7500, true", "PT1.4S, 7500, true", "PT1.5S, 7500, false"})
    void the_row_tells_the_policies_that_were_not_kept(String threshold, long decided, boolean isRight) {
        LedgerRow row = row(6000, decided, "misfire: overdue by more than " + threshold + ", the newest slot runs");

        assertEquals(expected(isRight), rules(LATER_POLICIES, row));
        assertEquals(List.of(), rules(LATER_POLICIES, row(6000, 6001, "in words of its own")));
    }

    @ParameterizedTest
    @CsvSource({"86400001, true", "86400000, false", "60000, false"})
    void nothing_is_too_old_that_any_ledger_would_keep(long age, boolean isRight) {
        LedgerRow row = row(6000, 6000 + age, LedgerReasons.TOO_OLD);

        assertEquals(expected(isRight), rules(new RuleContext(POLICIES), row));
    }

    /** A slot may expire before its misfire threshold, and after its claim: the end of its row counts. */
    @ParameterizedTest
    @CsvSource({"7001, true", "7000, false", "6000, false"})
    void a_slot_expires_only_after_the_time_that_its_reason_names(long ended, boolean isRight) {
        LedgerRow row = new LedgerRow(
                new CheckedSlot(1, 6000),
                new LedgerRow.CoveredRange(6000, 1),
                State.MISSED,
                claim(5950),
                ended(ended),
                "expired: not started within PT1S of its fire time");

        assertEquals(expected(isRight), rules(new RuleContext(POLICIES), row));
    }

    @Test
    void a_row_for_many_slots_is_judged_by_its_first() {
        for (boolean isRight : new boolean[] {true, false}) {
            Story story = new Story()
                    .task(1, new OwedSlotPlan.Grid(6000, 500), POLICIES)
                    .row(new LedgerRow(
                            new CheckedSlot(1, 6000),
                            new LedgerRow.CoveredRange(10_000, 9),
                            State.MISSED,
                            claim(isRight ? 10_001 : 7999),
                            ended(isRight ? 10_001 : 7999),
                            MISFIRE));

            assertEquals(expected(isRight), story.broken());
        }
    }

    @Test
    void a_slot_still_to_come_is_not_missed() {
        LedgerRow row = new LedgerRow(
                new CheckedSlot(1, 6000),
                new LedgerRow.CoveredRange(9000, 7),
                State.MISSED,
                claim(8999),
                ended(8999),
                MISFIRE);

        assertEquals(expected(false), rules(new RuleContext(POLICIES), row));
    }

    @Test
    void an_unclaimed_slot_was_passed_over_by_a_change() {
        assertEquals(
                List.of(),
                passedOver(State.MISSED, 6100, RuleContext.Change.at(6050)).broken());
        assertEquals(
                List.of(),
                passedOver(State.SKIPPED, 6100, RuleContext.Change.at(6000)).broken());
        assertEquals(
                List.of(),
                passedOver(State.SKIPPED, 6100, new RuleContext.Change(6090, Long.MAX_VALUE))
                        .broken());

        assertEquals(expected(false), passedOver(State.MISSED, 6100).broken());
        assertEquals(
                expected(false),
                passedOver(State.MISSED, 6100, RuleContext.Change.at(5999)).broken());
        assertEquals(
                expected(false),
                passedOver(State.MISSED, 6100, RuleContext.Change.at(6101)).broken());
        assertEquals(
                List.of(Rule.SKIPPED_UNEXPLAINED),
                passedOver(State.SKIPPED, 6100).broken());
        assertEquals(
                List.of(Rule.SKIPPED_UNEXPLAINED),
                passedOver(State.SKIPPED, 6100).brokenAlive());
    }

    @Test
    void nothing_is_passed_over_before_it_is_due() {
        assertEquals(
                expected(false),
                passedOver(State.MISSED, 5999, RuleContext.Change.ANY_TIME).broken());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "then of shop/a, not run: 10000 runs have followed from 7/2026-11-25T08:43:32.131Z, and no more may",
                "then of shop/a, not run: the last author of shop/a has no grant \"shell\"; store that task again with the grant",
                "thenOnFailure of shop/a, but paused",
                "then of shop/a, but paused: new disks"
            })
    void a_follower_that_was_refused_has_the_next_free_millisecond_and_is_not_planned(String reason) {
        assertEquals(List.of(), follower(reason));
    }

    @ParameterizedTest
    @ValueSource(strings = {"then of shop/a", "then of shop/a, and", "not run: 10000 runs have followed from 7/x"})
    void another_reason_of_a_chain_explains_no_skip(String reason) {
        assertEquals(List.of(Rule.SKIPPED_UNEXPLAINED), follower(reason));
    }

    private static List<Rule> follower(String reason) {
        LedgerRow row = new LedgerRow(
                new CheckedSlot(1, 6400),
                new LedgerRow.CoveredRange(6400, 1),
                State.SKIPPED,
                new LedgerRow.LatestClaim(1, 0, OptionalLong.empty()),
                ended(6000),
                reason);
        return rules(new RuleContext(POLICIES), row);
    }

    private static List<Rule> expected(boolean isRight) {
        return isRight ? List.of() : List.of(Rule.MISSED_UNEXPLAINED);
    }

    private static Story missed(long fire, long decided, String reason) {
        return new Story().task(1, new OwedSlotPlan.Once(fire), POLICIES).row(row(fire, decided, reason));
    }

    private static Story passedOver(State state, long entered, RuleContext.Change... changes) {
        return new Story()
                .task(1, new OwedSlotPlan.Once(6000), POLICIES, changes)
                .row(new LedgerRow(
                        new CheckedSlot(1, 6000),
                        new LedgerRow.CoveredRange(6000, 1),
                        state,
                        new LedgerRow.LatestClaim(1, 0, OptionalLong.empty()),
                        ended(entered),
                        "passed over by an edit"));
    }

    private static LedgerRow row(long fire, long decided, String reason) {
        return new LedgerRow(
                new CheckedSlot(1, fire),
                new LedgerRow.CoveredRange(fire, 1),
                State.MISSED,
                claim(decided),
                ended(decided),
                reason);
    }

    private static LedgerRow.LatestClaim claim(long at) {
        return new LedgerRow.LatestClaim(1, 2, OptionalLong.of(at), "b");
    }

    private static LedgerRow.Times ended(long at) {
        return new LedgerRow.Times(OptionalLong.empty(), OptionalLong.of(at));
    }

    private static List<Rule> rules(RuleContext context, LedgerRow row) {
        List<Rule> found = new ArrayList<>();
        MissedRule misses = new MissedRule(context, violation -> found.add(violation.rule()));
        misses.row(row);
        return found;
    }
}
