package io.twinbell.node.task;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.twinbell.node.json.InvalidJsonException;
import io.twinbell.node.schedule.Calendars;
import io.twinbell.persistence.task.PassedSlots;
import io.twinbell.persistence.task.Task;
import io.twinbell.persistence.task.TaskChange;
import io.twinbell.persistence.task.TaskDecision;
import io.twinbell.persistence.task.TaskPause;
import io.twinbell.persistence.task.TaskProgress;
import io.twinbell.persistence.task.TaskState;
import java.util.Optional;
import java.util.OptionalLong;

/** What people may do to a stored task, as decisions: values in, values out. */
public final class TaskChanges {
    /** Why a task is finished that goes on as soon as its calendars let it. */
    public static final String NOTHING_LEFT = "its calendars let no further fire time through";

    /** What stands at slots that a removal passed over. */
    public static final String REMOVED = "its task was removed before it was claimed";

    static final String DISABLED = "disabled";

    private TaskChanges() {}

    /**
     * A merge-patch (RFC 7396) of what people wrote. {@code nextFireTime} moves the next fire, {@code enabled} pauses and
     * resumes, and {@code version} makes it depend on nobody else having edited. The decision throws
     * {@link InvalidJsonException}, {@link PayloadTooLargeException} or {@link VersionConflictException}.
     */
    public static TaskDecision patch(ObjectNode patch, Calendars calendars) {
        return (current, nowMillis) -> new Edit(current, nowMillis, calendars).patch(patch);
    }

    /**
     * Everything that people wrote, anew. A task that does not say {@code enabled} stays paused if it was, and one that
     * names no {@code start} keeps its own. Throws like {@link #patch}.
     */
    public static TaskDecision replace(ObjectNode task, Calendars calendars) {
        return (current, nowMillis) -> new Edit(current, nowMillis, calendars).replace(task);
    }

    /**
     * As PUT does: {@link #replace}, but a task that has finished makes room for a new one of its name. Only one that has
     * fired at the very instant that is asked for again stays, so that a program may put the same task whenever it starts.
     */
    public static TaskDecision put(ObjectNode task, Calendars calendars) {
        return (current, nowMillis) -> new Edit(current, nowMillis, calendars).put(task);
    }

    /**
     * As a new task: one that has finished makes room for it, and one that will still fire is decided about as told.
     *
     * @param ifStanding about a task that has not finished
     */
    public static TaskDecision create(ObjectNode task, Calendars calendars, TaskDecision ifStanding) {
        return (current, nowMillis) -> current.progress().state() == TaskState.FINISHED
                ? new TaskChange.Renew(TaskReader.newTask(task, nowMillis, calendars))
                : ifStanding.decide(current, nowMillis);
    }

    /**
     * Stops firing. It keeps the fire time at which it stopped. A task that is paused already gets the new reason and
     * end, if there are any; one that is neither ACTIVE nor PAUSED stays as it is.
     */
    public static TaskDecision pause(String reason, TaskPause pause) {
        return (current, nowMillis) -> {
            TaskProgress was = current.progress();
            boolean saysMore = was.state() == TaskState.PAUSED && (reason != null || !pause.equals(TaskPause.NONE));
            TaskProgress paused = was.paused(reason, pause);
            return (was.state() == TaskState.ACTIVE || saysMore) && !paused.equals(was)
                    ? new TaskChange.Rewrite(current.content(), paused, Optional.empty())
                    : new TaskChange.Keep();
        };
    }

    /** The same for many tasks at once: one that somebody has paused before keeps its own reason and end. */
    public static TaskDecision pauseActive(String reason, TaskPause pause) {
        TaskDecision decision = pause(reason, pause);
        return (current, nowMillis) -> current.progress().state() == TaskState.ACTIVE
                ? decision.decide(current, nowMillis)
                : new TaskChange.Keep();
    }

    /** Fires again, from now on: what passed meanwhile is skipped. An ERROR task is read once more. */
    public static TaskDecision resume(Calendars calendars) {
        return (current, nowMillis) -> resumed(current, nowMillis, calendars);
    }

    /** Resumes a task whose pause has come to its end, as of that end: what was due since then is due. */
    public static TaskDecision endPause(Calendars calendars) {
        return (current, nowMillis) -> {
            OptionalLong end = current.progress().pause().untilMillis();
            return end.isPresent() && end.getAsLong() <= nowMillis
                    ? resumed(current, end.getAsLong(), calendars)
                    : new TaskChange.Keep();
        };
    }

    /** @param reason why, as it will stand at the slots that nobody claimed any more */
    public static TaskDecision remove(String reason, Calendars calendars) {
        return (current, nowMillis) ->
                new TaskChange.Remove(PassedSlotFinder.of(current, nowMillis, reason, calendars));
    }

    /**
     * Removes the task in the version that the caller has seen. The decision throws {@link VersionConflictException} if it
     * was edited since.
     */
    public static TaskDecision removeVersion(long version, Calendars calendars) {
        return (current, nowMillis) -> {
            if (current.version() != version) {
                throw new VersionConflictException(version, current.version());
            }
            return remove(REMOVED, calendars).decide(current, nowMillis);
        };
    }

    /** Stands where it should by these calendars, of which at least one has changed. */
    public static TaskDecision recalculate(Calendars calendars) {
        return (current, nowMillis) -> new Recalculation(current, nowMillis, calendars).decide();
    }

    private static TaskChange resumed(Task current, long nowMillis, Calendars calendars) {
        TaskState state = current.progress().state();
        if (state != TaskState.PAUSED && state != TaskState.ERROR) {
            return new TaskChange.Keep();
        }
        try {
            Timing timing = Timing.of(current, nowMillis, calendars);
            TaskDefinition definition = TaskReader.definition(
                    current.content().app(),
                    current.content().name(),
                    current.content().definition(),
                    calendars);
            Optional<PassedSlots> passed =
                    PassedSlotFinder.of(current, nowMillis, "its definition could not be read", calendars);
            // A fixed delay counts from now, and no run tells so.
            boolean replanned =
                    definition.schedule().followsTheRun() || current.progress().state() == TaskState.ERROR;
            return new TaskChange.Rewrite(
                    current.content(),
                    timing.resume(definition),
                    passed,
                    Optional.of(definition.schedule().calendars()),
                    replanned);
        } catch (InvalidJsonException e) {
            return unreadable(current, e.getMessage());
        }
    }

    static TaskChange unreadable(Task current, String message) {
        TaskProgress was = current.progress();
        if (was.state() == TaskState.ERROR) {
            return new TaskChange.Keep();
        }
        TaskProgress error = was.in(TaskState.ERROR, message);
        return new TaskChange.Rewrite(current.content(), error, Optional.empty());
    }
}
