package io.twinbell.tools.check;

import io.twinbell.tools.check.history.EpochOwnership;
import io.twinbell.tools.check.history.History;
import io.twinbell.tools.check.history.History.RecoveryPeriod;
import io.twinbell.tools.check.history.LedgerReasons;
import io.twinbell.tools.check.history.LedgerRow;
import io.twinbell.tools.check.history.LedgerRow.State;
import io.twinbell.tools.check.history.WatchedTask;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.function.Consumer;

/**
 * Rule: once the last fault is mended, the pair handles everything overdue within a given time, and later slots on
 * time. This covers slots, further attempts and slots skipped by a change of their task. A slot may be later if another
 * run of its task was under way.
 */
final class CatchUpRule {
    /** A successor may settle the claims of the master before it only after this time. */
    private static final long TRUST_MILLIS = 1000;
    /**
     * The time within which slots that a change skipped are recorded: without a notification, the next settling pass
     * does that.
     */
    private static final long ENTERED_WITHIN_MILLIS = 5000;

    private final RecoveryPeriod recoveryPeriod;
    private final EpochOwnership ownership;
    private final Map<Long, WatchedTask> tasks;
    private final Map<Long, List<LedgerRow>> rowsByTask;
    private final Consumer<Violation> violations;

    private CatchUpRule(History history, RecoveryPeriod recoveryPeriod, Consumer<Violation> offences) {
        this.recoveryPeriod = recoveryPeriod;
        ownership = new EpochOwnership(history.openings());
        tasks = history.tasksById();
        rowsByTask = history.rowsByTask();
        this.violations = offences;
    }

    static void check(History history, Consumer<Violation> offences) {
        history.peace().ifPresent(recoveryPeriod -> {
            CatchUpRule check = new CatchUpRule(history, recoveryPeriod, offences);
            history.rows().forEach(check::checkRow);
        });
    }

    private void checkRow(LedgerRow row) {
        OptionalLong claimed = row.claim().atMillis();
        if (claimed.isPresent()) {
            checkClaimed(row, claimed.getAsLong());
        } else if (row.state().saysNotRun() && row.times().endedMillis().isPresent()) {
            checkPassed(row, row.times().endedMillis().getAsLong());
        }
    }

    private void checkClaimed(LedgerRow row, long claimedMillis) {
        OptionalLong due = dueMillis(row);
        if (due.isPresent() && claimedMillis > boundMillis(row, due.getAsLong()) && !hadToWait(row, claimedMillis)) {
            report(
                    row,
                    "it was claimed " + (claimedMillis - due.getAsLong()) + " ms late, and "
                            + (claimedMillis - recoveryPeriod.fromMillis()) + " ms after the last fault was healed");
        }
    }

    /** When the row was due; for a row of several slots, when the first one was. Empty if unknown. */
    private OptionalLong dueMillis(LedgerRow row) {
        if (row.claim().attempt() == 1) {
            return OptionalLong.of(row.slot().fireMillis());
        }
        return LedgerReasons.isRerunOfLeft(row)
                ? ownership.openedMillis(row.claim().epoch()).stream()
                        .map(opened -> opened + TRUST_MILLIS)
                        .findFirst()
                : row.times().dueMillis();
    }

    /**
     * The latest instant for a claim. A master that has handed over may still be executing its last runs for a while,
     * and its successor settles them only after that.
     */
    private long boundMillis(LedgerRow row, long dueMillis) {
        return LedgerReasons.isRerunOfLeft(row)
                ? Math.max(recoveryPeriod.fromMillis(), dueMillis) + recoveryPeriod.caughtUpWithinMillis()
                : boundMillis(dueMillis);
    }

    private long boundMillis(long dueMillis) {
        long caughtUp = recoveryPeriod.fromMillis() + recoveryPeriod.caughtUpWithinMillis();
        long usual = dueMillis + CoverageRule.BEHIND_MILLIS;
        return dueMillis < caughtUp ? Math.max(caughtUp, usual) : usual;
    }

    /** Checks an unclaimed row: a change of the task skipped the slots, and the master recorded that. */
    private void checkPassed(LedgerRow row, long enteredMillis) {
        WatchedTask task = tasks.get(row.slot().taskId());
        OptionalLong change = task == null
                ? OptionalLong.empty()
                : task.context().lastChange(row.cover().untilMillis(), enteredMillis);
        if (change.isEmpty()) {
            return;
        }
        long changed = change.getAsLong();
        long first = row.slot().fireMillis();
        if (row.state() == State.MISSED && changed > boundMillis(first) && !hadToWait(row, changed)) {
            report(row, "it was not claimed when its task was changed, " + (changed - first) + " ms after it was due");
        }
        long caughtUp = recoveryPeriod.fromMillis() + recoveryPeriod.caughtUpWithinMillis();
        if (enteredMillis > Math.max(caughtUp, changed + ENTERED_WITHIN_MILLIS)) {
            report(row, "it was recorded " + (enteredMillis - changed) + " ms after its task was changed");
        }
    }

    private void report(LedgerRow row, String detail) {
        violations.accept(new Violation(Rule.NOT_CAUGHT_UP, row.slot(), detail));
    }

    private boolean hadToWait(LedgerRow row, long untilMillis) {
        return rowsByTask.get(row.slot().taskId()).stream()
                .filter(other -> other != row)
                .anyMatch(other -> wasUnderWay(
                        other, untilMillis - CoverageRule.BEHIND_MILLIS - unsettledMillis(other, row), untilMillis));
    }

    /**
     * How long the other run could block this row after the end in its own row. A run of another epoch blocks until it
     * is settled.
     */
    private static long unsettledMillis(LedgerRow other, LedgerRow row) {
        return mayBeSettled(other) && other.claim().epoch() != row.claim().epoch() ? TRUST_MILLIS : 0;
    }

    /**
     * Whether a successor may have settled the row. A FAILED row may also come from its handler; the row does not tell.
     */
    private static boolean mayBeSettled(LedgerRow row) {
        return row.state() == State.FAILED || row.state() == State.DROPPED;
    }

    private static boolean wasUnderWay(LedgerRow other, long fromMillis, long untilMillis) {
        OptionalLong started = startedMillis(other);
        OptionalLong ended = other.times().endedMillis();
        return started.isPresent()
                && started.getAsLong() <= untilMillis
                && (ended.isEmpty() || ended.getAsLong() >= fromMillis);
    }

    /** When the run started. A settled row may have no start, so its claim counts instead. */
    private static OptionalLong startedMillis(LedgerRow row) {
        OptionalLong started = row.times().startedMillis();
        return started.isEmpty() && mayBeSettled(row) ? row.claim().atMillis() : started;
    }
}
