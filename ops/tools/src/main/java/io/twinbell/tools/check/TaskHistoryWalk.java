package io.twinbell.tools.check;

import java.util.PrimitiveIterator;
import java.util.function.Consumer;

/**
 * Walks through the history of one task, oldest fire time first, with the slots that it owed beside it. Keeps hardly
 * anything of what it has passed, so a history may be as long as it likes.
 */
public final class TaskHistoryWalk {
    private final WalkedTask task;
    private final RowRules rules;
    private final WaitingRule waiting;
    private final Path path;
    private long rows;
    private long slots;

    /** How rows have to follow each other. */
    interface Path {
        /** A row before the stretch, which may reach into it. */
        void before(LedgerRow row);

        /** @param isPlanned false if somebody asked for it beside the schedule */
        void row(LedgerRow row, boolean isPlanned);

        void end();
    }

    /**
     * @param owed the slots from the beginning of the stretch up to now, oldest first; nothing for a task that follows its
     *     runs
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
        path = task.stretch().followsTheRun()
                ? new LinkPath(task, moment, offences)
                : new SlotPath(task, owed, offences);
    }

    /**
     * A row from before everything that is to be verified.
     *
     * @param isPlanned false if somebody asked for it beside the schedule
     */
    public void before(LedgerRow row, boolean isPlanned) {
        rules.before(row);
        if (isPlanned) {
            path.before(row);
        }
    }

    /** One from further back, in any order: what has long been over may have been run again, and be in the way. */
    public void longBefore(LedgerRow row) {
        rules.before(row);
    }

    public void row(LedgerRow row, boolean isPlanned) {
        rows++;
        slots += row.cover().slots();
        rules.row(row);
        waiting.row(row);
        boolean isBefore = row.slot().fireMillis() < task.stretch().fromMillis();
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

    /** How many slots the rows say they stand for. */
    public long slots() {
        return slots;
    }

    /** Executions without an outcome that are rightly under way or waiting. */
    public long underWay() {
        return waiting.underWay();
    }
}
