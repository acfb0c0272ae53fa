package io.twinbell.persistence.task;

import java.util.Map;
import java.util.Optional;

/** The change that a decision makes to a task. */
public sealed interface TaskChange {
    /** No change: the task is as requested already. */
    record Keep() implements TaskChange {}

    /** The next fire time is still correct with these versions of its calendars. */
    record Confirm(Map<String, Long> calendars) implements TaskChange {}

    /**
     * Sets content and progress; the version grows by one.
     *
     * @param passed the slots that the change skips
     * @param caughtUp the slots that passed during a pause and run after it
     * @param calendars the version of each calendar that the progress was computed with; empty if it was not
     *     computed
     * @param replanned whether the next fire time was computed independently of the previous one, so that the slots
     *     until then cannot be derived from the definition
     */
    record Rewrite(
            TaskContent content,
            TaskProgress progress,
            Optional<PassedSlots> passed,
            CaughtUpSlots caughtUp,
            Optional<Map<String, Long>> calendars,
            boolean replanned)
            implements TaskChange {
        /** The next fire time was not recomputed, and the schedule continues as before. */
        public Rewrite(TaskContent content, TaskProgress progress, Optional<PassedSlots> passed) {
            this(content, progress, passed, Optional.empty(), false);
        }

        /** No slot is caught up. */
        public Rewrite(
                TaskContent content,
                TaskProgress progress,
                Optional<PassedSlots> passed,
                Optional<Map<String, Long>> calendars,
                boolean replanned) {
            this(content, progress, passed, CaughtUpSlots.NONE, calendars, replanned);
        }
    }

    /**
     * Replaces a finished task by a new one of the same name. The new task has its own id, so the two share no slot of
     * the ledger.
     */
    record Renew(NewTask successor) implements TaskChange {}

    /** Removes the task; its executions stay in the ledger. */
    record Remove(Optional<PassedSlots> passed) implements TaskChange {}
}
