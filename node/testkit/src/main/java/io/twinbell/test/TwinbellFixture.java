package io.twinbell.test;

import io.twinbell.Tasks;
import io.twinbell.Twinbell;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

/**
 * What a test can do in both modes: with a {@link TestScheduler} in virtual time, and with a {@link TestPair} on real
 * servers.
 */
public sealed interface TwinbellFixture extends AutoCloseable permits TestScheduler, TestPair {
    /** Returns the node as the application uses it: it can schedule code, and gives access to the tasks. */
    Twinbell twinbell();

    default Tasks tasks() {
        return twinbell().tasks();
    }

    /** Returns the rows of the ledger of a task, in the order of their fire times; also of a task that was removed. */
    List<TestExecution> executions(String app, String name);

    /** Begins assertions about a task. They fail with an {@link AssertionError} that shows the task's ledger. */
    default TaskAssert assertThat(String app, String name) {
        return new TaskAssert(app, name, tasks().find(app, name), executions(app, name));
    }

    /**
     * Runs the task now, in addition to its schedule.
     *
     * @return the fire time of the run
     * @throws IllegalArgumentException if there is no such task
     */
    default Instant trigger(String app, String name) {
        return trigger(app, name, null);
    }

    /**
     * As {@link #trigger(String, String)}, with other data.
     *
     * @param data JSON text that takes the place of the task's data; null to use the task's data
     */
    Instant trigger(String app, String name, String data);

    /** Cancels an execution; false if it has ended, or does not exist. */
    boolean cancel(String app, String name, Instant fireTime, String reason);

    /** Runs an ended execution again, as the next attempt of its slot; false if it cannot run again. */
    boolean rerun(String app, String name, Instant fireTime, String reason);

    /** Takes the master away, so that the other node is master. {@code orphan} decides on what ran. */
    void failover();

    /** No node runs for a time. What came due meanwhile follows the misfire policies. */
    void nodeDown(Duration duration);

    /** The database does not answer for a time. */
    void databaseAway(Duration duration);

    @Override
    void close();
}
