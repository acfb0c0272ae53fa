package io.twinbell.node.task;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.twinbell.node.json.InvalidJsonException;
import io.twinbell.persistence.task.PassedSlots;
import io.twinbell.persistence.task.Task;
import io.twinbell.persistence.task.TaskChange;
import io.twinbell.persistence.task.TaskDecision;
import io.twinbell.persistence.task.TaskProgress;
import io.twinbell.persistence.task.TaskState;
import java.util.Optional;

/** What people may do to a stored task, as decisions: values in, values out. */
public final class TaskChanges {
    static final String DISABLED = "disabled";

    private TaskChanges() {}

    /**
     * A merge-patch (RFC 7396) of what people wrote. {@code nextFireTime} moves the next fire, {@code enabled} pauses and
     * resumes, and {@code version} makes it depend on nobody else having edited. The decision throws
     * {@link InvalidJsonException}, {@link PayloadTooLargeException} or {@link VersionConflictException}.
     */
    public static TaskDecision patch(ObjectNode patch) {
        return (current, nowMillis) -> new Edit(current, nowMillis).patch(patch);
    }

    /**
     * Everything that people wrote, anew. A task that does not say {@code enabled} stays paused if it was, and one that
     * names no {@code start} keeps its own. Throws like {@link #patch}.
     */
    public static TaskDecision replace(ObjectNode task) {
        return (current, nowMillis) -> new Edit(current, nowMillis).replace(task);
    }

    /** Stops firing. It keeps the fire time at which it stopped; a task that is not ACTIVE stays as it is. */
    public static TaskDecision pause(String reason) {
        return (current, nowMillis) -> {
            TaskProgress was = current.progress();
            if (was.state() != TaskState.ACTIVE) {
                return new TaskChange.Keep();
            }
            TaskProgress paused =
                    new TaskProgress(TaskState.PAUSED, reason, was.nextFireMillis(), was.previousFireMillis());
            return new TaskChange.Rewrite(current.content(), paused, Optional.empty());
        };
    }

    /** Fires again, from now on: what passed meanwhile is skipped. An ERROR task is read once more. */
    public static TaskDecision resume() {
        return TaskChanges::resumed;
    }

    /** @param reason why, as it will stand at the slots that nobody claimed any more */
    public static TaskDecision remove(String reason) {
        return (current, nowMillis) -> new TaskChange.Remove(Passing.of(current, nowMillis, reason));
    }

    private static TaskChange resumed(Task current, long nowMillis) {
        TaskState state = current.progress().state();
        if (state != TaskState.PAUSED && state != TaskState.ERROR) {
            return new TaskChange.Keep();
        }
        try {
            Timing timing = Timing.of(current, nowMillis);
            TaskDefinition definition = TaskReader.definition(
                    current.content().app(),
                    current.content().name(),
                    current.content().definition());
            Optional<PassedSlots> passed = Passing.of(current, nowMillis, "its definition could not be read");
            // A fixed delay counts from now, and no run tells so.
            boolean replanned =
                    definition.schedule().followsTheRun() || current.progress().state() == TaskState.ERROR;
            return new TaskChange.Rewrite(current.content(), timing.resume(definition.schedule()), passed, replanned);
        } catch (InvalidJsonException e) {
            return unreadable(current, e.getMessage());
        }
    }

    private static TaskChange unreadable(Task current, String message) {
        TaskProgress was = current.progress();
        if (was.state() == TaskState.ERROR) {
            return new TaskChange.Keep();
        }
        TaskProgress error = new TaskProgress(TaskState.ERROR, message, was.nextFireMillis(), was.previousFireMillis());
        return new TaskChange.Rewrite(current.content(), error, Optional.empty());
    }
}
