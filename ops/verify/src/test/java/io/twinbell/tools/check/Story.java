package io.twinbell.tools.check;

import io.twinbell.node.engine.task.Overlap;
import io.twinbell.tools.check.history.CheckMoment;
import io.twinbell.tools.check.history.CheckedSlot;
import io.twinbell.tools.check.history.EpochOpening;
import io.twinbell.tools.check.history.EpochOwnership;
import io.twinbell.tools.check.history.History;
import io.twinbell.tools.check.history.LedgerRow;
import io.twinbell.tools.check.history.LedgerRow.State;
import io.twinbell.tools.check.history.OwedSlotPlan;
import io.twinbell.tools.check.history.ReceivedCall;
import io.twinbell.tools.check.history.RuleContext;
import io.twinbell.tools.check.history.TaskPolicyFacts;
import io.twinbell.tools.check.history.WalkedTask;
import io.twinbell.tools.check.history.WatchedTask;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Consumer;
import java.util.stream.LongStream;

/**
 * A history that a test composes. Epoch 1 belongs to node a and, from 5000 on, epoch 2 to node b. All tasks stop at 10
 * 000.
 */
public final class Story {
    static final long STOPPED = 10_000;
    static final long KILLED = 5000;

    private final List<WatchedTask> tasks = new ArrayList<>();
    private final List<LedgerRow> rows = new ArrayList<>();
    private final List<ReceivedCall> calls = new ArrayList<>();
    private final List<History.FormerMaster> stragglers = new ArrayList<>();
    private Optional<History.RecoveryPeriod> peace = Optional.empty();
    private Optional<History.LossWindow> loss = Optional.empty();
    private final List<EpochOpening> openings =
            new ArrayList<>(List.of(new EpochOpening(1, "a", 0), new EpochOpening(2, "b", KILLED)));

    public Story task(long id, OwedSlotPlan plan, boolean reruns, boolean overlaps) {
        return task(id, plan, policies(reruns, overlaps, 1));
    }

    /** An operator may have changed it at any time. */
    Story task(long id, OwedSlotPlan plan, TaskPolicyFacts policies) {
        return task(id, plan, policies, RuleContext.Change.ANY_TIME);
    }

    Story task(long id, OwedSlotPlan plan, TaskPolicyFacts policies, RuleContext.Change... changes) {
        return task(new WatchedTask(
                id,
                "t" + id,
                plan,
                policies,
                new WatchedTask.WatchPeriod(STOPPED, OptionalLong.empty(), List.of(changes))));
    }

    /** Policies under which a slot is a misfire when it is more than two seconds late. */
    static TaskPolicyFacts policies(boolean reruns, boolean overlaps, int maxAttempts) {
        return new TaskPolicyFacts(
                reruns,
                overlaps ? Overlap.ALLOW : Overlap.SKIP,
                maxAttempts,
                OptionalLong.of(2000),
                OptionalLong.empty());
    }

    Story task(WatchedTask task) {
        tasks.add(task);
        return this;
    }

    /** A slot that was claimed, called and recorded in time, under the epoch of its moment. */
    public Story succeeded(long task, long fire) {
        int epoch = epochAt(fire);
        return row(task, fire, State.SUCCEEDED, 1, epoch).call(task, fire, 1, epoch);
    }

    public Story row(long task, long fire, State state, int attempt, long epoch) {
        return row(task, fire, state, attempt, epoch, fire + 5);
    }

    /** @param ended also the time of the start, because handlers take no time in these histories */
    Story row(long task, long fire, State state, int attempt, long epoch, long ended) {
        boolean ran = state == State.SUCCEEDED || state == State.FAILED;
        rows.add(new LedgerRow(
                new CheckedSlot(task, fire),
                new LedgerRow.CoveredRange(fire, 1),
                state,
                new LedgerRow.LatestClaim(
                        attempt, epoch, OptionalLong.of(epoch == 1 ? fire - 10 : Math.max(fire - 10, KILLED))),
                new LedgerRow.Times(
                        ran ? OptionalLong.of(ended) : OptionalLong.empty(),
                        state.isFinal() ? OptionalLong.of(ended) : OptionalLong.empty(),
                        OptionalLong.empty()),
                reason(state)));
        return this;
    }

    private static String reason(State state) {
        return state.owesReason() ? "so it is" : null;
    }

    Story row(LedgerRow row) {
        rows.add(row);
        return this;
    }

    Story peace(History.RecoveryPeriod after) {
        peace = Optional.of(after);
        return this;
    }

    Story lost(long fromMillis, long untilMillis) {
        loss = Optional.of(new History.LossWindow(fromMillis, untilMillis));
        return this;
    }

    /** One row for many slots. */
    public Story row(long task, long fire, long until, long slots, State state) {
        rows.add(new LedgerRow(
                new CheckedSlot(task, fire),
                new LedgerRow.CoveredRange(until, slots),
                state,
                new LedgerRow.LatestClaim(1, 0, OptionalLong.empty()),
                new LedgerRow.Times(OptionalLong.empty(), OptionalLong.of(until), OptionalLong.empty()),
                reason(state)));
        return this;
    }

    public Story call(long task, long fire, int attempt, long epoch) {
        return call(task, fire, attempt, epoch, 0);
    }

    Story call(long task, long fire, int attempt, long epoch, int beside) {
        long arrived = epoch == 1 ? fire : Math.max(fire, KILLED);
        return call(new ReceivedCall(new CheckedSlot(task, fire), attempt, epoch, arrived * 1000 + 1000, beside));
    }

    Story call(ReceivedCall call) {
        calls.add(call);
        return this;
    }

    /** Calls that the epoch had started by then may arrive later. */
    Story stopped(long epoch, long startedByMillis) {
        stragglers.add(new History.FormerMaster(epoch, startedByMillis, false));
        return this;
    }

    /** The epoch's process was dead by then. */
    Story died(long epoch, long byMillis) {
        stragglers.add(new History.FormerMaster(epoch, byMillis, true));
        return this;
    }

    Story opening(EpochOpening opening) {
        openings.add(opening);
        return this;
    }

    static int epochAt(long millis) {
        return millis < KILLED ? 1 : 2;
    }

    public History history() {
        return new History(tasks, rows, calls, openings, STOPPED, stragglers, peace, loss);
    }

    List<Violation> violations() {
        return Checker.check(history());
    }

    /** The rules that are broken, each once. */
    List<Rule> broken() {
        return violations().stream().map(Violation::rule).distinct().toList();
    }

    /** The broken rules if the same history is judged as a running pair's ledger. */
    List<Rule> brokenAlive() {
        List<Violation> found = new ArrayList<>(Checker.checkOpenings(openings));
        Map<Long, List<LedgerRow>> rowsByTask = history().rowsByTask();
        for (WatchedTask task : tasks) {
            walk(task, rowsByTask.getOrDefault(task.id(), List.of()), found::add);
        }
        return found.stream().map(Violation::rule).sorted().distinct().toList();
    }

    private void walk(WatchedTask task, List<LedgerRow> own, Consumer<Violation> found) {
        RuleContext context =
                new RuleContext(task.policies(), Long.MIN_VALUE, task.watch().changes(), true);
        WalkedTask.TaskPosition taskPosition =
                new WalkedTask.TaskPosition(task.watch().standsAt(), false, false);
        long owedUntil = task.watch().owedUntil();
        LongStream owed = LongStream.empty();
        WalkedTask.OwedRange owedRange;
        if (task.plan() instanceof OwedSlotPlan.Timetable timetable) {
            owed = timetable.between(timetable.firstMillis(), owedUntil);
            owedRange = new WalkedTask.OwedRange(timetable.firstMillis(), true, owedUntil + 1, false);
        } else {
            owedRange = new WalkedTask.OwedRange(task.plan().firstMillis(), true, owedUntil + 1, true);
        }
        TaskHistoryWalk walk = new TaskHistoryWalk(
                new WalkedTask(task.id(), task.name(), context, taskPosition, owedRange),
                new CheckMoment(STOPPED + 1, 2000),
                new EpochOwnership(openings),
                owed.iterator(),
                found);
        own.forEach(row ->
                walk.row(task.plan() instanceof OwedSlotPlan.Chain chain ? followed(row, chain) : row, true));
        walk.end();
    }

    /** As the API tells it beside each row. */
    private static LedgerRow followed(LedgerRow row, OwedSlotPlan.Chain chain) {
        OptionalLong ended = row.times().endedMillis();
        OptionalLong followed = ended.isPresent() ? OptionalLong.of(ended.getAsLong() + chain.delayMillis()) : ended;
        return new LedgerRow(
                row.slot(),
                row.cover(),
                row.state(),
                row.claim(),
                new LedgerRow.Times(row.times().startedMillis(), ended, followed),
                row.reason());
    }
}
