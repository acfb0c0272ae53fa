package io.twinbell.persistence.task;

/** The state of a task; only an ACTIVE task fires. */
public enum TaskState {
    ACTIVE,
    PAUSED,
    /** Its schedule has no further fire time. */
    FINISHED,
    /** Its definition cannot be read; the reason says why. Other tasks are not affected. */
    ERROR
}
