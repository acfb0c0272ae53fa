package io.twinbell.tools.check;

import io.twinbell.tools.check.history.CheckMoment;
import io.twinbell.tools.check.history.CheckedSlot;
import io.twinbell.tools.check.history.LedgerRow;
import io.twinbell.tools.check.history.WalkedTask;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.OptionalLong;
import java.util.function.Consumer;

/**
 * Checks the row order of a task that follows its runs: every fire time, up to the last, follows the end of a run
 * before it.
 */
final class RunOrderCheck implements TaskHistoryWalk.Path {
    /** The end of a slot that did not run is written slightly after its next fire time was computed. */
    private static final long SETTLING_MILLIS = 5000;
    /** Number of latest rows kept. Manual runs end in between, and the next fire time may count from one of them. */
    private static final int KEPT = 100;

    private final WalkedTask task;
    private final CheckMoment moment;
    private final Consumer<Violation> violations;
    private final Deque<LedgerRow> latest = new ArrayDeque<>();
    private boolean isFirst;
    private LedgerRow last;

    RunOrderCheck(WalkedTask task, CheckMoment moment, Consumer<Violation> offences) {
        this.task = task;
        this.moment = moment;
        this.violations = offences;
        isFirst = task.owedRange().beginsHere();
    }

    @Override
    public void before(LedgerRow row) {
        last = row;
        keep(row);
    }

    private void keep(LedgerRow row) {
        if (latest.size() == KEPT) {
            latest.removeFirst();
        }
        latest.addLast(row);
    }

    @Override
    public void row(LedgerRow row, boolean isPlanned) {
        if (isPlanned) {
            checkLink(row.slot());
            last = row;
        }
        keep(row);
    }

    private void checkLink(CheckedSlot slot) {
        if (isFirst) {
            isFirst = false;
            if (slot.fireMillis() != task.owedRange().fromMillis()) {
                report(Rule.LOST, new CheckedSlot(task.id(), task.owedRange().fromMillis()), task.name());
            }
        } else if (!latest.isEmpty() && !follows(slot.fireMillis())) {
            report(Rule.CHAIN_BROKEN, slot, "it does not follow the end of an earlier run: " + task.name());
        }
    }

    private boolean follows(long fireMillis) {
        return latest.stream().anyMatch(row -> follows(fireMillis, row))
                || last != null && mayFollowRoughly(fireMillis);
    }

    private static boolean follows(long fireMillis, LedgerRow row) {
        return row.times().followedMillis().stream()
                .anyMatch(next -> Math.abs(fireMillis - next) <= (row.state().saysRunEnded() ? 0 : SETTLING_MILLIS));
    }

    /**
     * Whether the fire time is plausible if the end of the run is known only roughly. A calendar or a jitter may
     * enlarge the difference.
     */
    private boolean mayFollowRoughly(long fireMillis) {
        return !last.state().saysRunEnded()
                && last.times().endedMillis().stream().anyMatch(end -> fireMillis >= end - SETTLING_MILLIS);
    }

    @Override
    public void end() {
        OptionalLong followed =
                last == null ? OptionalLong.empty() : last.times().followedMillis();
        OptionalLong stands = task.taskPosition().nextMillis();
        if (stands.isPresent()) {
            boolean isFirstOfAll = stands.getAsLong() == task.owedRange().fromMillis();
            if (!isFirstOfAll && !mayFollowALaterRun(stands.getAsLong(), followed)) {
                checkLink(new CheckedSlot(task.id(), stands.getAsLong()));
            }
        } else if (followed.isPresent()
                && moment.isOld(last.times().endedMillis().orElseThrow())
                && followed.getAsLong() < task.owedRange().owedUntilMillis()) {
            report(Rule.LOST, new CheckedSlot(task.id(), followed.getAsLong()), "the chain ends here: " + task.name());
        }
    }

    /** Whether the next fire time may follow a run that is under way, or that came after the rows were read. */
    private boolean mayFollowALaterRun(long standsMillis, OptionalLong followed) {
        return last != null
                && (followed.isEmpty()
                        || followed.getAsLong() > moment.millis() && standsMillis > followed.getAsLong());
    }

    private void report(Rule rule, CheckedSlot slot, String detail) {
        violations.accept(new Violation(rule, slot, detail));
    }
}
