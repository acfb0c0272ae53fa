package io.twinbell.tools.bench;

import io.twinbell.tools.bench.database.TimedRow;
import io.twinbell.tools.check.history.LedgerRow;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.HdrHistogram.Histogram;

/**
 * Checks the ledger against the plan: each slot must be there once, succeeded, and not before its time. Lateness counts
 * from the planned fire time of each slot, so a scheduler that stalls is late for every slot that it delayed.
 */
public final class ResultCheck {
    static final int DIGITS = 3;

    private final BenchPlan plan;
    private final Map<Long, Integer> numbers = new HashMap<>();
    private final BitSet seen;
    private final Map<LedgerRow.State, Long> others = new EnumMap<>(LedgerRow.State.class);
    private final Map<String, Histogram> lateness = new TreeMap<>();
    private long unplanned;
    private long doubled;
    private long early;
    private long furtherAttempts;
    private long lastEndMillis = Long.MIN_VALUE;

    /** @param ids the tasks' ids, in the order of their numbers */
    public ResultCheck(BenchPlan plan, long[] ids) {
        this.plan = plan;
        seen = new BitSet(plan.slots());
        for (int i = 0; i < ids.length; i++) {
            numbers.put(ids[i], i);
        }
    }

    /** Adds a row. Rows of tasks outside the plan are ignored. */
    public void add(TimedRow timed) {
        LedgerRow row = timed.row();
        Integer task = numbers.get(row.slot().taskId());
        if (task == null) {
            return;
        }
        int slot = plan.slot(task, row.slot().fireMillis());
        if (slot < 0) {
            unplanned++;
        } else if (seen.get(slot)) {
            doubled++;
        } else if (row.state() == LedgerRow.State.SUCCEEDED) {
            seen.set(slot);
            countRun(plan.kind(task), timed);
        } else {
            others.merge(row.state(), row.cover().slots(), Long::sum);
        }
    }

    private void countRun(String kind, TimedRow timed) {
        LedgerRow row = timed.row();
        furtherAttempts += row.claim().attempt() - 1;
        long late = timed.latenessMicros();
        if (late < 0) {
            early++;
        }
        lateness.computeIfAbsent(kind, unused -> new Histogram(DIGITS)).recordValue(Math.max(0, late));
        lastEndMillis = Math.max(lastEndMillis, row.times().endedMillis().orElse(lastEndMillis));
    }

    /** The number of slots that succeeded. */
    public long succeeded() {
        return seen.cardinality();
    }

    /** Lateness by the kind of task, in microseconds. */
    public Map<String, Histogram> lateness() {
        return lateness;
    }

    /** The end of the last handler, by the database's clock. */
    public long lastEndMillis() {
        return lastEndMillis;
    }

    /** Problems of the ledger; empty if each slot is there once and succeeded. */
    public List<String> problems() {
        List<String> problems = new ArrayList<>();
        others.forEach((state, count) -> addProblem(problems, count, "slots ended " + state));
        long known = seen.cardinality()
                + others.values().stream().mapToLong(Long::longValue).sum();
        addProblem(problems, plan.slots() - known, "slots are not in the ledger");
        addProblem(problems, unplanned, "rows belong to slots that were not planned");
        addProblem(problems, doubled, "slots occur twice in the ledger");
        addProblem(problems, early, "slots started before their time");
        addProblem(problems, furtherAttempts, "slots needed further attempts");
        return problems;
    }

    private static void addProblem(List<String> problems, long count, String what) {
        if (count != 0) {
            problems.add(count + " " + what);
        }
    }
}
