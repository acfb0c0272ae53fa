package io.twinbell.node.api.slot;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.twinbell.node.alert.store.TaskPings;
import io.twinbell.node.execution.store.ExecutionQueries;
import io.twinbell.node.execution.store.ExecutionQueries.ManualRun;
import io.twinbell.node.execution.store.ExecutionRequests;
import io.twinbell.node.explain.SlotQuestion;
import io.twinbell.persistence.ledger.Slot;
import io.twinbell.persistence.task.Task;
import java.time.ZoneId;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * What the library's public API does with the slots of one task. All methods throw
 * {@link io.twinbell.persistence.database.DatabaseUnavailableException} if the database does not answer.
 */
public interface TaskSlots {
    /** The stores that these operations write to. */
    record Writers(ExecutionQueries executions, ExecutionRequests requests, TaskPings pings) {}

    /** Returns the stores that these operations write to. */
    Writers writers();

    /** Returns the same operations, which write to other stores. */
    TaskSlots writingTo(Writers writers);

    /**
     * Enters a run by hand, in addition to the schedule.
     *
     * @return its slot; empty if the task was removed meanwhile
     * @throws io.twinbell.node.json.InvalidJsonException if the task's definition cannot be read
     */
    Optional<Slot> trigger(Task task, ManualRun run);

    /**
     * Enters the slots that the schedule has in a past span and that the task did not owe.
     *
     * @param body as the HTTP API accepts it
     * @return the JSON of the HTTP API; empty if the task was removed meanwhile
     * @throws io.twinbell.node.json.InvalidJsonException if the body is invalid, or the schedule has no such slots
     */
    Optional<ObjectNode> backfill(Task task, ObjectNode body);

    /** Requests the cancellation of the backfilled slots that have not started; returns their number. */
    int cancelBackfill(long taskId);

    /** Records a ping; returns its time in milliseconds since 1970 UTC, empty if there is no such task. */
    OptionalLong ping(long taskId);

    /** The zone of the task's schedule, otherwise UTC: local times of a question are meant in it. */
    ZoneId zone(Task task);

    /** Explains what happened at an instant, or will happen, and why. */
    ExplainedSlot explain(Task task, SlotQuestion question);
}
