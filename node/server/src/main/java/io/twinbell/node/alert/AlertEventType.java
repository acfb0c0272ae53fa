package io.twinbell.node.alert;

import java.util.Arrays;
import java.util.Optional;

/** The events that an alert can be set for. */
public enum AlertEventType {
    /** An execution ended FAILED or TIMED_OUT, after its retries. */
    FAILED,
    /** Slots were missed. */
    MISSED,
    /** An execution without an outcome was dropped. */
    DROPPED,
    /** An execution seems stuck. An ongoing condition. */
    STUCK,
    /** A task's definition cannot be read, so it no longer fires. */
    TASK_ERROR,
    /** A task was paused because it has failed too often in a row. */
    TASK_PAUSED,
    /** A node became MASTER or STANDBY, or has STOPPED. */
    ROLE_CHANGE,
    /** No node could take over. An ongoing condition. */
    NO_STANDBY,
    /** Tasks need a java handler that no node has. An ongoing condition. */
    UNKNOWN_HANDLER,
    /** A task has not succeeded for a time. An ongoing condition. */
    NO_SUCCESS,
    /** A task has not succeeded by a time of the day. An ongoing condition. */
    NO_SUCCESS_BY,
    /** An execution still runs after a time. An ongoing condition. */
    RUNNING_LONG,
    /** An execution has started late. An ongoing condition while a late one has not started. */
    STARTED_LATE,
    /** A task has not been pinged for a time. An ongoing condition. */
    NO_PING;

    /** The event of a row of the database; empty for one that only a newer version knows. */
    static Optional<AlertEventType> stored(String name) {
        return Arrays.stream(values()).filter(type -> type.name().equals(name)).findAny();
    }
}
