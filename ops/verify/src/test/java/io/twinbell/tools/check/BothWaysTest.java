package io.twinbell.tools.check;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.twinbell.node.engine.task.Overlap;
import io.twinbell.tools.check.history.CheckedSlot;
import io.twinbell.tools.check.history.EpochOpening;
import io.twinbell.tools.check.history.LedgerReasons;
import io.twinbell.tools.check.history.LedgerRow;
import io.twinbell.tools.check.history.LedgerRow.State;
import io.twinbell.tools.check.history.OwedSlotPlan;
import io.twinbell.tools.check.history.OwedSlotPlan.Chain;
import io.twinbell.tools.check.history.OwedSlotPlan.Grid;
import io.twinbell.tools.check.history.OwedSlotPlan.Once;
import io.twinbell.tools.check.history.RuleContext;
import io.twinbell.tools.check.history.TaskPolicyFacts;
import io.twinbell.tools.check.history.WatchedTask;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Simulations and drills judge a finished history, and {@code verify} a running pair's ledger. Both find what ledger
 * and epochs reveal, and neither reports anything else.
 */
class BothWaysTest {
    /** These rules need the received calls. */
    private static final Set<Rule> OF_CALLS = EnumSet.of(
            Rule.CALLED_UNCLAIMED,
            Rule.CALLED_LATE,
            Rule.CALLED_TWICE,
            Rule.SUCCESS_WITHOUT_CALL,
            Rule.CALL_WITHOUT_ROW,
            Rule.CALL_OF_UNRUN,
            Rule.RAN_BESIDE);
    /** These rules need to know what a drill did to the pair. */
    private static final Set<Rule> OF_DRILLS =
            EnumSet.of(Rule.DOUBT_UNEXPLAINED, Rule.MASTER_CHANGED, Rule.NOT_ONE_SUCCESSOR, Rule.PROMISE_BROKEN);
    /** The database is asked for these, not the rows of a task: see {@code VerifyTest}. */
    private static final Set<Rule> BY_A_QUERY = EnumSet.of(Rule.STRAY);

    private record Wrong(String name, Rule rule, Story story) {
        @Override
        public String toString() {
            return name;
        }
    }

    static List<Wrong> wrong() {
        List<Wrong> all = new ArrayList<>();
        all.add(new Wrong("a slot without a row", Rule.LOST, every(4000)));
        all.add(new Wrong("two rows for one slot", Rule.COVERED_TWICE, every(0).row(1, 3000, 4000, 2, State.MISSED)));
        all.add(new Wrong("a row beside the schedule", Rule.UNPLANNED, every(0).succeeded(1, 1500)));
        all.add(new Wrong(
                "a wrong count",
                Rule.MISCOUNTED,
                new Story().task(1, grid(), false, false).row(1, 1000, 10_000, 9, State.MISSED)));
        all.add(new Wrong(
                "no outcome, and its epoch is over",
                Rule.UNFINISHED,
                once(4990, false).row(1, 4990, State.RUNNING, 1, 1)));
        all.add(new Wrong(
                "nobody claims what was handed back",
                Rule.UNFINISHED,
                once(4990, false).row(pending(4990))));
        all.add(new Wrong("a task that stands behind", Rule.NOT_CAUGHT_UP, standing(7000)));
        all.add(new Wrong(
                "a start before the fire time", Rule.EARLY, once(3000, false).row(1, 3000, State.FAILED, 1, 1, 2999)));
        all.add(new Wrong("a start after the slot has expired", Rule.EXPIRED_START, expiring(false)));
        all.add(new Wrong(
                "a link that follows nothing",
                Rule.CHAIN_BROKEN,
                new Story()
                        .task(1, new Chain(8500, 500), false, false)
                        .succeeded(1, 8500)
                        .succeeded(1, 9009)
                        .succeeded(1, 9514)));
        all.add(new Wrong(
                "a further attempt of a task that drops",
                Rule.ATTEMPT_UNEXPLAINED,
                once(4990, false).row(1, 4990, State.FAILED, 2, 2)));
        all.add(new Wrong(
                "a settlement that runs again what is to be dropped",
                Rule.ATTEMPT_UNEXPLAINED,
                once(4990, false).row(reason("attempt 1 was left without an outcome by a (epoch 1); run again"))));
        all.add(new Wrong(
                "dropped by its own master",
                Rule.DROPPED_UNEXPLAINED,
                once(3000, false).row(1, 3000, State.DROPPED, 1, 1, 4900)));
        all.add(new Wrong(
                "dropped in the present epoch",
                Rule.DROPPED_UNEXPLAINED,
                once(6000, false).row(1, 6000, State.DROPPED, 1, 2, 9000)));
        all.add(new Wrong(
                "dropped though its task reruns",
                Rule.DROPPED_UNEXPLAINED,
                once(4990, true).row(1, 4990, State.DROPPED, 1, 1, 6100)));
        all.add(new Wrong(
                "missed in time", Rule.MISSED_UNEXPLAINED, once(6000, false).row(missed(8000))));
        all.add(new Wrong(
                "passed over by nobody",
                Rule.MISSED_UNEXPLAINED,
                new Story()
                        .task(1, new Once(6000), Story.policies(false, false, 1), new RuleContext.Change[0])
                        .row(1, 6000, 6000, 1, State.MISSED)));
        all.add(new Wrong(
                "skipped for nothing",
                Rule.SKIPPED_UNEXPLAINED,
                once(6000, false).row(1, 6000, State.SKIPPED, 1, 2)));
        all.add(new Wrong(
                "claimed when a later epoch was open",
                Rule.EPOCH_BACKWARDS,
                once(5500, false).row(1, 5500, State.FAILED, 1, 1)));
        all.add(new Wrong("claimed before its epoch was opened", Rule.EPOCH_UNKNOWN, claimed(4970, 2, "b")));
        all.add(new Wrong("claimed under no epoch that there was", Rule.EPOCH_UNKNOWN, claimed(6000, 3, "b")));
        all.add(new Wrong("claimed by who does not own the epoch", Rule.EPOCH_SHARED, claimed(6000, 2, "a")));
        all.add(new Wrong("an epoch for two", Rule.EPOCH_SHARED, new Story().opening(new EpochOpening(2, "a", 6000))));
        all.add(new Wrong(
                "an epoch that was opened before an older one",
                Rule.EPOCH_BACKWARDS,
                new Story().opening(new EpochOpening(3, "a", 3999))));
        all.add(new Wrong(
                "no reason",
                Rule.SILENT,
                once(4990, false)
                        .row(new LedgerRow(
                                new CheckedSlot(1, 4990),
                                new LedgerRow.CoveredRange(4990, 1),
                                State.CANCELLED,
                                new LedgerRow.LatestClaim(1, 0, OptionalLong.empty()),
                                new LedgerRow.Times(OptionalLong.empty(), OptionalLong.of(5000)),
                                null))));
        all.add(new Wrong(
                "an end before the start",
                Rule.CONTRADICTION,
                once(6000, false)
                        .row(new LedgerRow(
                                new CheckedSlot(1, 6000),
                                new LedgerRow.CoveredRange(6000, 1),
                                State.FAILED,
                                new LedgerRow.LatestClaim(1, 2, OptionalLong.of(5990), "b"),
                                new LedgerRow.Times(OptionalLong.of(9000), OptionalLong.of(7000)),
                                null))));
        return all;
    }

    @ParameterizedTest
    @MethodSource("wrong")
    void facts_of_the_ledger_are_found_both_ways(Wrong wrong) {
        assertTrue(
                wrong.story().broken().contains(wrong.rule()),
                () -> "at its end: " + wrong.story().violations());
        assertTrue(
                wrong.story().brokenAlive().contains(wrong.rule()),
                () -> "alive: " + wrong.story().brokenAlive());
    }

    @Test
    void no_rule_of_the_one_is_missing_in_the_other() {
        Set<Rule> shown = EnumSet.copyOf(wrong().stream().map(Wrong::rule).toList());
        Stream.of(OF_CALLS, OF_DRILLS, BY_A_QUERY).forEach(shown::addAll);

        assertEquals(EnumSet.allOf(Rule.class), shown);
    }

    static List<Story> right() {
        return List.of(
                every(0),
                new Story().task(1, grid(), false, false).succeeded(1, 1000).row(1, 2000, 10_000, 9, State.MISSED),
                once(4990, false).row(1, 4990, State.DROPPED, 1, 1, 6100),
                once(4990, false).row(1, 4990, State.DROPPED, 1, 1, 4995),
                once(6000, false).row(missed(8001)),
                once(6000, false).row(1, 6000, State.FAILED, 1, 2),
                standing(9000),
                expiring(true),
                new Story()
                        .task(1, new Once(6000), Story.policies(false, false, 2))
                        .row(1, 6000, State.FAILED, 2, 2),
                new Story()
                        .task(1, new Chain(9000, 500), false, false)
                        .succeeded(1, 9000)
                        .succeeded(1, 9505),
                new Story().opening(new EpochOpening(3, "a", 4900)),
                claimed(6000, 2, "b"));
    }

    @ParameterizedTest
    @MethodSource("right")
    void a_correct_ledger_is_correct_both_ways(Story story) {
        assertEquals(List.of(), story.broken());
        assertEquals(List.of(), story.brokenAlive());
    }

    /** Only where an operator may have interfered. */
    @Test
    void a_slot_released_or_rerun_by_hand_is_right_in_a_living_ledger() {
        LedgerRow released = new LedgerRow(
                new CheckedSlot(1, 6000),
                new LedgerRow.CoveredRange(6000, 1),
                State.DROPPED,
                new LedgerRow.LatestClaim(1, 2, OptionalLong.of(5990)),
                new LedgerRow.Times(OptionalLong.empty(), OptionalLong.of(9000)),
                LedgerReasons.RELEASED + ": it hangs; attempt 1 was left without an outcome by b (epoch 2); dropped");
        assertEquals(List.of(), once(6000, false).row(released).brokenAlive());
        assertEquals(
                List.of(Rule.DROPPED_UNEXPLAINED),
                once(6000, false).row(released).broken());

        Story byHand = once(4990, false)
                .row(new LedgerRow(
                        new CheckedSlot(1, 4990),
                        new LedgerRow.CoveredRange(4990, 1),
                        State.FAILED,
                        new LedgerRow.LatestClaim(2, 0, 1, 2, OptionalLong.of(6000), null),
                        new LedgerRow.Times(OptionalLong.of(6000), OptionalLong.of(6010)),
                        "run again by hand: the customer has paid"));
        assertEquals(List.of(), byHand.brokenAlive());
        assertEquals(List.of(Rule.ATTEMPT_UNEXPLAINED), byHand.broken());
    }

    private static Story every(long without) {
        Story story = new Story().task(1, grid(), false, false);
        LongStream.rangeClosed(1, 10)
                .map(second -> second * 1000)
                .filter(fire -> fire != without)
                .forEach(fire -> story.succeeded(1, fire));
        return story;
    }

    private static OwedSlotPlan grid() {
        return new Grid(1000, 1000);
    }

    private static Story once(long fire, boolean reruns) {
        return new Story().task(1, new Once(fire), reruns, false);
    }

    /** A task whose slots are owed up to its next fire time. */
    private static Story standing(long next) {
        return new Story()
                .task(new WatchedTask(
                        1,
                        "t1",
                        new Grid(next, 1000),
                        Story.policies(false, false, 1),
                        new WatchedTask.WatchPeriod(next - 1, OptionalLong.of(next), List.of())));
    }

    /** A slot that may start within a second, and starts a millisecond later. */
    private static Story expiring(boolean isRequested) {
        TaskPolicyFacts policies = new TaskPolicyFacts(
                false, Overlap.SKIP, 1, OptionalLong.of(2000), OptionalLong.empty(), OptionalLong.of(1000));
        return new Story()
                .task(1, new Once(6000), policies)
                .row(new LedgerRow(
                        new CheckedSlot(1, 6000),
                        new LedgerRow.CoveredRange(6000, 1),
                        State.FAILED,
                        new LedgerRow.LatestClaim(1, 2, OptionalLong.of(5990), "b"),
                        new LedgerRow.Times(OptionalLong.of(7001), OptionalLong.of(7002)),
                        null,
                        isRequested));
    }

    private static Story claimed(long at, long epoch, String node) {
        return once(6000, false)
                .row(new LedgerRow(
                        new CheckedSlot(1, 6000),
                        new LedgerRow.CoveredRange(6000, 1),
                        State.FAILED,
                        new LedgerRow.LatestClaim(1, epoch, OptionalLong.of(at), node),
                        new LedgerRow.Times(OptionalLong.of(6000), OptionalLong.of(6001)),
                        null));
    }

    private static LedgerRow missed(long decided) {
        return new LedgerRow(
                new CheckedSlot(1, 6000),
                new LedgerRow.CoveredRange(6000, 1),
                State.MISSED,
                new LedgerRow.LatestClaim(1, 2, OptionalLong.of(decided)),
                new LedgerRow.Times(OptionalLong.empty(), OptionalLong.of(decided)),
                "misfire");
    }

    private static LedgerRow pending(long fire) {
        return new LedgerRow(
                new CheckedSlot(1, fire),
                new LedgerRow.CoveredRange(fire, 1),
                State.PENDING,
                new LedgerRow.LatestClaim(1, 0, OptionalLong.empty()),
                new LedgerRow.Times(OptionalLong.empty(), OptionalLong.empty()),
                null);
    }

    private static LedgerRow reason(String reason) {
        return new LedgerRow(
                new CheckedSlot(1, 4990),
                new LedgerRow.CoveredRange(4990, 1),
                State.FAILED,
                new LedgerRow.LatestClaim(2, 2, OptionalLong.of(6000)),
                new LedgerRow.Times(OptionalLong.of(6000), OptionalLong.of(6010)),
                reason);
    }
}
