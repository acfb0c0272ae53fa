package io.twinbell.persistence.task;

/** What the master does with a task: only an ACTIVE one fires. */
public enum TaskState {
    ACTIVE,
    PAUSED,
    /** Its schedule has no further fire time. */
    FINISHED,
    /** Its definition cannot be read; the reason says why. It stops nobody else. */
    ERROR
}
