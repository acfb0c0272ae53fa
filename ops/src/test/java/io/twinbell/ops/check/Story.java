package io.twinbell.ops.check;

import io.twinbell.ops.check.LedgerRow.State;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/** A history that a test tells. Epoch 1 is a's and, from 5000 on, epoch 2 is b's; all tasks are stopped at 10 000. */
final class Story {
    static final long STOPPED = 10_000;
    static final long KILLED = 5000;

    private final List<WatchedTask> tasks = new ArrayList<>();
    private final List<LedgerRow> rows = new ArrayList<>();
    private final List<Call> calls = new ArrayList<>();
    private final List<History.Stragglers> stragglers = new ArrayList<>();
    private Optional<History.Peace> peace = Optional.empty();
    private final List<Opening> openings =
            new ArrayList<>(List.of(new Opening(1, "a", 0), new Opening(2, "b", KILLED)));

    Story task(long id, Plan plan, boolean reruns, boolean overlaps) {
        return task(new WatchedTask(
                id, "t" + id, plan, reruns, overlaps, new WatchedTask.Watch(STOPPED, OptionalLong.empty())));
    }

    Story task(WatchedTask task) {
        tasks.add(task);
        return this;
    }

    /** A slot that was claimed, called and recorded in time, under the epoch of its moment. */
    Story succeeded(long task, long fire) {
        int epoch = epochAt(fire);
        return row(task, fire, State.SUCCEEDED, 1, epoch).call(task, fire, 1, epoch);
    }

    Story row(long task, long fire, State state, int attempt, long epoch) {
        return row(task, fire, state, attempt, epoch, fire + 5);
    }

    /** @param ended also when it was started: handlers take no time in these stories */
    Story row(long task, long fire, State state, int attempt, long epoch, long ended) {
        boolean ran = state == State.SUCCEEDED || state == State.FAILED;
        rows.add(new LedgerRow(
                new Slot(task, fire),
                new LedgerRow.Cover(fire, 1),
                state,
                new LedgerRow.Claim(
                        attempt, epoch, OptionalLong.of(epoch == 1 ? fire - 10 : Math.max(fire - 10, KILLED))),
                new LedgerRow.Times(
                        ran ? OptionalLong.of(ended) : OptionalLong.empty(),
                        state.isFinal() ? OptionalLong.of(ended) : OptionalLong.empty(),
                        OptionalLong.empty()),
                null));
        return this;
    }

    Story row(LedgerRow row) {
        rows.add(row);
        return this;
    }

    Story peace(History.Peace after) {
        peace = Optional.of(after);
        return this;
    }

    /** One row for many slots. */
    Story row(long task, long fire, long until, long slots, State state) {
        rows.add(new LedgerRow(
                new Slot(task, fire),
                new LedgerRow.Cover(until, slots),
                state,
                new LedgerRow.Claim(1, 0, OptionalLong.empty()),
                new LedgerRow.Times(OptionalLong.empty(), OptionalLong.of(until), OptionalLong.empty()),
                null));
        return this;
    }

    Story call(long task, long fire, int attempt, long epoch) {
        return call(task, fire, attempt, epoch, 0);
    }

    Story call(long task, long fire, int attempt, long epoch, int beside) {
        long arrived = epoch == 1 ? fire : Math.max(fire, KILLED);
        return call(new Call(new Slot(task, fire), attempt, epoch, arrived * 1000 + 1000, beside));
    }

    Story call(Call call) {
        calls.add(call);
        return this;
    }

    /** What the epoch had started by then may arrive later. */
    Story stopped(long epoch, long startedByMillis) {
        stragglers.add(new History.Stragglers(epoch, startedByMillis));
        return this;
    }

    Story opening(Opening opening) {
        openings.add(opening);
        return this;
    }

    static int epochAt(long millis) {
        return millis < KILLED ? 1 : 2;
    }

    History history() {
        return new History(tasks, rows, calls, openings, STOPPED, stragglers, peace);
    }

    List<Offence> offences() {
        return Checker.check(history());
    }

    /** The rules that are broken, each once. */
    List<Rule> broken() {
        return offences().stream().map(Offence::rule).distinct().toList();
    }
}
