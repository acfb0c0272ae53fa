package io.twinbell.node.alert.store;

import java.util.OptionalLong;

/** Records pings: calls from outside which say that a task's work was done. An alert may expect them. */
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
