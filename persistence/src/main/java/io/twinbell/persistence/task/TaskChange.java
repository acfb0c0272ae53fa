package io.twinbell.persistence.task;

import java.util.Optional;

/** What a decision makes of a task. */
public sealed interface TaskChange {
    /** It is already as wanted. */
    record Keep() implements TaskChange {}

    /**
     * It gets this content and stands there; its version grows by one.
     *
     * @param replanned whether the next fire time follows from nothing that was there before, so that the slots until
     *     then cannot be told from the definition
     */
    record Rewrite(TaskContent content, TaskProgress progress, Optional<PassedSlots> passed, boolean replanned)
            implements TaskChange {
        /** The schedule goes on as it did. */
        public Rewrite(TaskContent content, TaskProgress progress, Optional<PassedSlots> passed) {
            this(content, progress, passed, false);
        }
    }

    /** It goes; its executions stay in the ledger. */
    record Remove(Optional<PassedSlots> passed) implements TaskChange {}
}
