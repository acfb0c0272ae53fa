package io.twinbell.tools.check;

import io.twinbell.tools.check.history.History;
import io.twinbell.tools.check.history.LedgerReasons;
import io.twinbell.tools.check.history.LedgerRow;
import io.twinbell.tools.check.history.OwedSlotPlan;
import io.twinbell.tools.check.history.ReceivedCall;
import io.twinbell.tools.check.history.WatchedTask;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * Rule: after the database has lost commits for good, rows marked "in doubt" account for the calls that have no row.
 * They cover only slots that a lost master may have run.
 */
final class DoubtRule {
    private final Optional<History.LossWindow> loss;
    private final Map<Long, List<LedgerRow>> rows;
    private final Map<Long, WatchedTask> tasks;

    DoubtRule(History history) {
        loss = history.loss();
        tasks = history.tasksById();
        rows = new HashMap<>();
        history.rowsByTask()
                .forEach((task, own) ->
                        rows.put(task, own.stream().filter(DoubtRule::isNamed).toList()));
    }

    private static boolean isNamed(LedgerRow row) {
        return LedgerReasons.has(row, LedgerReasons.IN_DOUBT) || LedgerReasons.has(row, LedgerReasons.RESTORED);
    }

    static void check(History history, Consumer<Violation> offences) {
        for (LedgerRow row : history.rows()) {
            boolean isExplained = history.loss()
                    .filter(loss -> loss.has(row.slot().fireMillis())
                            && loss.has(row.cover().untilMillis()))
                    .isPresent();
            if (LedgerReasons.has(row, LedgerReasons.IN_DOUBT) && !isExplained) {
                offences.accept(new Violation(Rule.DOUBT_UNEXPLAINED, row.slot(), "it is " + row.state()));
            }
        }
    }

    /** Whether the call was made by a master whose commits are lost, and a row of a later master covers its slot. */
    boolean explain(ReceivedCall call) {
        return loss.isPresent()
                && rows.getOrDefault(call.slot().taskId(), List.of()).stream()
                        .anyMatch(row -> call.epoch() < row.claim().epoch()
                                && row.slot().fireMillis() <= call.slot().fireMillis()
                                && row.cover().untilMillis() >= call.slot().fireMillis());
    }

    /** Whether the fire time counted from the end of a run that is lost, so that no row can name it. */
    boolean hasUnknownFireTime(ReceivedCall call) {
        WatchedTask task = tasks.get(call.slot().taskId());
        return task != null
                && task.plan() instanceof OwedSlotPlan.Chain
                && loss.filter(lost -> lost.has(call.slot().fireMillis())).isPresent();
    }
}
