package io.twinbell.tools.check;

import io.twinbell.tools.check.history.CheckMoment;
import io.twinbell.tools.check.history.EpochOwnership;
import io.twinbell.tools.check.history.LedgerRow;
import io.twinbell.tools.check.history.WalkedTask;
import java.util.PrimitiveIterator;
import java.util.function.Consumer;

/**
 * Walks through one task's rows, oldest fire time first, along the slots that the task owed, and applies the row rules.
 * It keeps only a bounded part of the rows that it has passed, so a history may have any length.
 */
public final class TaskHistoryWalk {
    private final WalkedTask task;
    private final RowRules rules;
    private final WaitingRule waiting;
    private final Path path;
    private long rows;
    private long slots;

    /** The order in which rows must follow each other. */
    interface Path {
        /** Takes a row from before the stretch; it may cover slots of the stretch. */
        void before(LedgerRow row);

        /** @param isPlanned false for a run requested in addition to the schedule */
        void row(LedgerRow row, boolean isPlanned);

        void end();
    }

    /**
     * @param owed the slots from the beginning of the stretch until now, oldest first; empty for a task that follows
     *     its runs
     */
    public TaskHistoryWalk(
            WalkedTask task,
            CheckMoment moment,
            EpochOwnership ownership,
            PrimitiveIterator.OfLong owed,
            Consumer<Violation> offences) {
        this.task = task;
        rules = new RowRules(task.context(), ownership, offences);
        waiting = new WaitingRule(task, moment, ownership, offences);
        path = task.owedRange().followsTheRun()
                ? new RunOrderCheck(task, moment, offences)
                : new TimetableCheck(task, owed, offences);
    }

    /**
     * Takes a row from before the verified stretch.
     *
     * @param isPlanned false for a run requested in addition to the schedule
     */
    public void before(LedgerRow row, boolean isPlanned) {
        rules.before(row);
        if (isPlanned) {
            path.before(row);
        }
    }

    /**
     * Takes an older row, in any order. An execution that ended long ago may have been run again and have blocked
     * others.
     */
    public void addOlder(LedgerRow row) {
        rules.before(row);
    }

    /** Takes an unfinished row from before the verified stretch: it must be in progress or wait, like any other. */
    public void unfinished(LedgerRow row) {
        waiting.row(row);
    }

    public void row(LedgerRow row, boolean isPlanned) {
        rows++;
        slots += row.cover().slots();
        rules.row(row);
        waiting.row(row);
        boolean isBefore = row.slot().fireMillis() < task.owedRange().fromMillis();
        if (isBefore) {
            path.before(row);
        } else {
            path.row(row, isPlanned);
        }
    }

    public void end() {
        rules.end();
        waiting.end();
        path.end();
    }

    public long rows() {
        return rows;
    }

    /** The number of slots that the rows claim to cover. */
    public long slots() {
        return slots;
    }

    /** The number of executions without an outcome that are legitimately under way or waiting. */
    public long underWay() {
        return waiting.underWay();
    }
}
