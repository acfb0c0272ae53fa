package io.twinbell.persistence.task;

import java.util.Map;
import java.util.Optional;

/** What a decision makes of a task. */
public sealed interface TaskChange {
    /** It is already as wanted. */
    record Keep() implements TaskChange {}

    /** It stands where it should by these versions of its calendars. */
    record Confirm(Map<String, Long> calendars) implements TaskChange {}

    /**
     * It gets this content and stands there; its version grows by one.
     *
     * @param calendars the version of each calendar that its progress was computed with; empty if it was not computed
     * @param replanned whether the next fire time follows from nothing that was there before, so that the slots until
     *     then cannot be told from the definition
     */
    record Rewrite(
            TaskContent content,
            TaskProgress progress,
            Optional<PassedSlots> passed,
            Optional<Map<String, Long>> calendars,
            boolean replanned)
            implements TaskChange {
        /** Its next fire time was not computed anew, and the schedule goes on as it did. */
        public Rewrite(TaskContent content, TaskProgress progress, Optional<PassedSlots> passed) {
            this(content, progress, passed, Optional.empty(), false);
        }
    }

    /** It has finished, and this task takes its name: under an id of its own, so the two share no slot of the ledger. */
    record Renew(NewTask successor) implements TaskChange {}

    /** It goes; its executions stay in the ledger. */
    record Remove(Optional<PassedSlots> passed) implements TaskChange {}
}
