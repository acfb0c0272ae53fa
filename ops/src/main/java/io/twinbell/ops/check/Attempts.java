package io.twinbell.ops.check;

import java.util.function.Consumer;

/** An execution is given up or tried again only where its policy says so, and only because its master was lost. */
final class Attempts {
    private Attempts() {}

    static void check(History history, Consumer<Offence> offences) {
        var tasks = history.tasksById();
        long newest =
                history.openings().stream().mapToLong(Opening::epoch).max().orElse(Long.MAX_VALUE);
        long changes = Math.max(0, history.openings().size() - 1);
        for (LedgerRow row : history.rows()) {
            WatchedTask task = tasks.get(row.slot().taskId());
            if (task != null) {
                checkFurther(row, task, changes, offences);
                checkDropped(row, task, newest, offences);
            }
        }
    }

    private static void checkFurther(LedgerRow row, WatchedTask task, long changes, Consumer<Offence> offences) {
        int attempt = row.claim().attempt();
        if (attempt > 1 && !task.reruns()) {
            offences.accept(new Offence(
                    Rule.ATTEMPT_UNEXPLAINED, row.slot(), "attempt " + attempt + " of a task that drops orphans"));
        } else if (attempt - 1 > changes) {
            offences.accept(new Offence(
                    Rule.ATTEMPT_UNEXPLAINED,
                    row.slot(),
                    "attempt " + attempt + " after " + changes + " changes of master"));
        }
    }

    private static void checkDropped(LedgerRow row, WatchedTask task, long newest, Consumer<Offence> offences) {
        if (row.state() != LedgerRow.State.DROPPED) {
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
}
