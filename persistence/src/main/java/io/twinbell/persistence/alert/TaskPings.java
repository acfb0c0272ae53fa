package io.twinbell.persistence.alert;

import java.util.OptionalLong;

/** Records pings of tasks by something outside, which an alert may expect. */
@FunctionalInterface
public interface TaskPings {
    /**
     * Records that the task was pinged now.
     *
     * @return the time, in milliseconds since 1970 UTC by the database's clock; empty if there is no such task
     * @throws io.twinbell.persistence.database.DatabaseUnavailableException if the database does not answer
     */
    OptionalLong ping(long taskId);
}
