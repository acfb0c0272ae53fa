package io.twinbell.persistence.task;

import java.util.Optional;

/** What a decision makes of a task. */
public sealed interface TaskChange {
    /** It is already as wanted. */
    record Keep() implements TaskChange {}

    /** It gets this content and stands there; its version grows by one. */
    record Rewrite(TaskContent content, TaskProgress progress, Optional<PassedSlots> passed) implements TaskChange {}

    /** It goes; its executions stay in the ledger. */
    record Remove(Optional<PassedSlots> passed) implements TaskChange {}
}
