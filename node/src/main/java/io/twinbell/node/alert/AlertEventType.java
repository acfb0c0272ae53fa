package io.twinbell.node.alert;

/** What an alert may be for. */
public enum AlertEventType {
    /** An execution ended FAILED or TIMED_OUT, after its retries. */
    FAILED,
    /** Slots were missed. */
    MISSED,
    /** An execution without an outcome was given up. */
    DROPPED,
    /** An execution seems stuck; it lasts. */
    STUCK,
    /** A task's definition can't be read: it fires no more. */
    TASK_ERROR,
    /** A task was paused because it has failed too often in a row. */
    TASK_PAUSED,
    /** A node became MASTER or STANDBY, or has STOPPED. */
    ROLE_CHANGE,
    /** No node could take over; it lasts. */
    NO_STANDBY
}
