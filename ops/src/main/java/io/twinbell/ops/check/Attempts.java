package io.twinbell.ops.check;

import java.util.OptionalLong;
import java.util.function.Consumer;

/** An execution is given up or tried again only where its policy says so, and only because its master was lost. */
final class Attempts {
    /** What nobody can run any more is dropped, whatever its task said. */
    private static final String TASK_GONE = "its task is gone";

    private Attempts() {}

    static void check(History history, Consumer<Offence> offences) {
        var tasks = history.tasksById();
        long newest =
                history.openings().stream().mapToLong(Opening::epoch).max().orElse(Long.MAX_VALUE);
        long changes = Math.max(0, history.openings().size() - 1);
        Reigns reigns = new Reigns(history.openings());
        for (LedgerRow row : history.rows()) {
            WatchedTask task = tasks.get(row.slot().taskId());
            if (task != null) {
                checkFurther(row, task, changes, offences);
                checkDropped(row, task, newest, offences);
                checkDroppedByItsOwn(row, reigns, offences);
            }
        }
    }

    private static void checkFurther(LedgerRow row, WatchedTask task, long changes, Consumer<Offence> offences) {
        int attempt = row.claim().attempt();
        String retried = task.maxAttempts() > 1 ? " and is tried " + task.maxAttempts() + " times" : "";
        if (attempt > task.maxAttempts() && !task.reruns()) {
            offences.accept(new Offence(
                    Rule.ATTEMPT_UNEXPLAINED,
                    row.slot(),
                    "attempt " + attempt + " of a task that drops orphans" + retried));
        } else if (attempt - task.maxAttempts() > changes) {
            offences.accept(new Offence(
                    Rule.ATTEMPT_UNEXPLAINED,
                    row.slot(),
                    "attempt " + attempt + " after " + changes + " changes of master" + retried));
        }
    }

    private static void checkDropped(LedgerRow row, WatchedTask task, long newest, Consumer<Offence> offences) {
        boolean isWithoutTask = row.reason() != null && row.reason().endsWith(TASK_GONE);
        if (row.state() != LedgerRow.State.DROPPED || isWithoutTask) {
            return;
        }
        if (task.reruns()) {
            offences.accept(new Offence(Rule.DROPPED_UNEXPLAINED, row.slot(), "its task reruns orphans"));
        } else if (row.claim().epoch() >= newest) {
            offences.accept(new Offence(
                    Rule.DROPPED_UNEXPLAINED,
                    row.slot(),
                    "it was claimed under epoch " + row.claim().epoch() + ", which is current"));
        }
    }

    /** Only a successor gives up what it finds. */
    private static void checkDroppedByItsOwn(LedgerRow row, Reigns reigns, Consumer<Offence> offences) {
        OptionalLong end = reigns.endOf(row.claim().epoch());
        OptionalLong dropped =
                row.state() == LedgerRow.State.DROPPED ? row.times().endedMillis() : OptionalLong.empty();
        if (end.isPresent() && dropped.isPresent() && dropped.getAsLong() < end.getAsLong() - Epochs.ROUNDING_MILLIS) {
            offences.accept(new Offence(
                    Rule.DROPPED_UNEXPLAINED,
                    row.slot(),
                    "it was claimed under epoch " + row.claim().epoch() + ", which was current then"));
        }
    }
}
