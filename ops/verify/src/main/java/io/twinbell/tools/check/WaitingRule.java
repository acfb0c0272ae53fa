package io.twinbell.tools.check;

import io.twinbell.tools.check.history.CheckMoment;
import io.twinbell.tools.check.history.CheckedSlot;
import io.twinbell.tools.check.history.EpochOwnership;
import io.twinbell.tools.check.history.LedgerReasons;
import io.twinbell.tools.check.history.LedgerRow;
import io.twinbell.tools.check.history.WalkedTask;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.function.Consumer;

/**
 * Rule: in the ledger of a running pair, a due row without an outcome is either in progress or legitimately waiting.
 */
final class WaitingRule {
    /** The upper bound of {@code handlers.java.missing}: a slot fails when it has waited for its handler for so long. */
    private static final long LONGEST_WAIT_FOR_HANDLER = Duration.ofDays(7).toMillis();

    private final WalkedTask task;
    private final CheckMoment moment;
    private final EpochOwnership ownership;
    private final Consumer<Violation> violations;
    private final List<LedgerRow> unclaimed = new ArrayList<>();
    private long underWay;
    private boolean isRunUnderWay;
    private boolean isHandlerAwaited;

    WaitingRule(WalkedTask task, CheckMoment moment, EpochOwnership ownership, Consumer<Violation> offences) {
        this.task = task;
        this.moment = moment;
        this.ownership = ownership;
        this.violations = offences;
    }

    void row(LedgerRow row) {
        if (row.state().isFinal()) {
            return;
        }
        if (row.state() == LedgerRow.State.PENDING && isLate(row)) {
            unclaimed.add(row);
            return;
        }
        String wrong = wrong(row);
        if (wrong == null) {
            underWay++;
            isRunUnderWay |= row.state() != LedgerRow.State.PENDING;
            isHandlerAwaited |= waitsForItsHandler(row);
        } else {
            report(row, wrong);
        }
    }

    /**
     * Reports the rows that no run of the task explains. A run repeated by hand, or handed back, waits for another run
     * of its task.
     */
    void end() {
        if (isRunUnderWay || isHandlerAwaited) {
            underWay += unclaimed.size();
        } else {
            unclaimed.forEach(row -> report(row, " and is not claimed"));
        }
        if (!isRunUnderWay) {
            checkStand();
        }
    }

    /**
     * Checks that the task's next fire time is not overdue. The database shows nothing more about catching up, because
     * it does not record when a fault ended.
     */
    private void checkStand() {
        WalkedTask.TaskPosition taskPosition = task.taskPosition();
        if (!taskPosition.isPaused() && !taskPosition.isHeldBack()) {
            taskPosition.nextMillis().stream()
                    .filter(moment::isOld)
                    .forEach(next -> violations.accept(new Violation(
                            Rule.NOT_CAUGHT_UP,
                            new CheckedSlot(task.id(), next),
                            "the task still waits for it at " + Instant.ofEpochMilli(moment.millis()))));
        }
    }

    private void report(LedgerRow row, String wrong) {
        violations.accept(new Violation(Rule.UNFINISHED, row.slot(), "it is " + row.state() + wrong));
    }

    long underWay() {
        return underWay;
    }

    /** Why the row should have an outcome by now; null if it need not. */
    private String wrong(LedgerRow row) {
        boolean isDue = moment.isOld(row.slot().fireMillis());
        return switch (row.state()) {
            case PENDING ->
                waitsForItsHandler(row) && moment.isOld(row.slot().fireMillis() + LONGEST_WAIT_FOR_HANDLER)
                        ? " and waits for its handler longer than any node allows"
                        : null;
            case RETRYING -> isLate(row) ? " and is not retried" : null;
            case CLAIMED -> isDue && moment.isOld(claimed(row)) ? " and was not started" : wrongAsRun(row);
            default -> wrongAsRun(row);
        };
    }

    private boolean isLate(LedgerRow row) {
        if (task.taskPosition().isHeldBack()) {
            return false;
        }
        return row.state() == LedgerRow.State.RETRYING
                ? !task.taskPosition().isPaused()
                        && row.times().dueMillis().stream().anyMatch(moment::isOld)
                : moment.isOld(row.slot().fireMillis())
                        && !task.context().policies().queues()
                        && !waitsForItsHandler(row);
    }

    private static boolean waitsForItsHandler(LedgerRow row) {
        return row.state() == LedgerRow.State.PENDING && LedgerReasons.has(row, LedgerReasons.LACKS_HANDLER);
    }

    private String wrongAsRun(LedgerRow row) {
        if (row.times().endedMillis().isPresent()) {
            return " and has an end";
        }
        OptionalLong over = ownership.endOf(row.claim().epoch());
        if (over.isPresent() && moment.isOld(over.getAsLong())) {
            return " under epoch " + row.claim().epoch() + ", which is over";
        }
        // A heartbeat of the receiver may have put the end of its time off.
        OptionalLong callback = row.times().callbackMillis();
        if (callback.isPresent()) {
            return moment.isOld(callback.getAsLong()) ? " and its callback is overdue" : null;
        }
        OptionalLong timeout = task.context().policies().timeoutMillis();
        long began = row.times().startedMillis().orElse(claimed(row));
        if (timeout.isPresent() && moment.isOld(Math.max(began, row.slot().fireMillis()) + timeout.getAsLong())) {
            return " and is past its timeout";
        }
        return null;
    }

    private static long claimed(LedgerRow row) {
        return row.claim().atMillis().orElse(row.slot().fireMillis());
    }
}
