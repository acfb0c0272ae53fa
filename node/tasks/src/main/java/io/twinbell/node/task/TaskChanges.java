package io.twinbell.node.task;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.twinbell.node.engine.task.TaskDefinition;
import io.twinbell.node.json.InvalidJsonException;
import io.twinbell.node.schedule.Calendars;
import io.twinbell.persistence.task.Task;
import io.twinbell.persistence.task.TaskChange;
import io.twinbell.persistence.task.TaskDecision;
import io.twinbell.persistence.task.TaskPause;
import io.twinbell.persistence.task.TaskProgress;
import io.twinbell.persistence.task.TaskState;
import java.util.Optional;
import java.util.OptionalLong;

/** The changes that users can make to a stored task, as pure decisions: values in, values out. */
public final class TaskChanges {
    /** The reason recorded for slots that a removal skipped. */
    public static final String REMOVED = "its task was removed before it was claimed";

    static final String DISABLED = "disabled";

    private TaskChanges() {}

    /**
     * Applies a merge patch (RFC 7396) to the task. {@code nextFireTime} moves the next fire, {@code enabled} pauses
     * and resumes, and {@code version} makes the patch conditional on this version. The decision throws
     * {@link InvalidJsonException}, {@link PayloadTooLargeException} or {@link VersionConflictException}.
     */
    public static TaskDecision patch(ObjectNode patch, Calendars calendars) {
        return (current, nowMillis) -> new TaskEdit(current, nowMillis, calendars).patch(patch);
    }

    /**
     * Replaces the whole task. If {@code enabled} is missing, a paused task stays paused; if {@code start} is missing,
     * the task keeps its start. Throws like {@link #patch}.
     */
    public static TaskDecision replace(ObjectNode task, Calendars calendars) {
        return (current, nowMillis) -> new TaskEdit(current, nowMillis, calendars).replace(task);
    }

    /**
     * Implements PUT: like {@link #replace}, but a finished task is replaced by a new one of the same name. A finished
     * one-shot that has fired at exactly the requested instant is kept, so that a program may put the same task at
     * each start.
     */
    public static TaskDecision put(ObjectNode task, Calendars calendars) {
        return (current, nowMillis) -> new TaskEdit(current, nowMillis, calendars).put(task);
    }

    /**
     * Creates a new task in place of a finished one; for an unfinished task it applies the given decision.
     *
     * @param ifStanding the decision for a task that has not finished
     */
    public static TaskDecision create(ObjectNode task, Calendars calendars, TaskDecision ifStanding) {
        return (current, nowMillis) -> current.progress().state() == TaskState.FINISHED
                ? new TaskChange.Renew(TaskReader.newTask(task, nowMillis, calendars))
                : ifStanding.decide(current, nowMillis);
    }

    /**
     * Pauses the task, which keeps its next fire time. A paused task gets the new reason and end, if any are given. A
     * task that is neither ACTIVE nor PAUSED is left unchanged.
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

    /** Pauses one of many tasks: a task that is already paused keeps its reason and end. */
    public static TaskDecision pauseActive(String reason, TaskPause pause) {
        TaskDecision decision = pause(reason, pause);
        return (current, nowMillis) -> current.progress().state() == TaskState.ACTIVE
                ? decision.decide(current, nowMillis)
                : new TaskChange.Keep();
    }

    /**
     * Resumes the task from now on; slots that passed meanwhile are skipped. The definition of an ERROR task is read
     * again.
     */
    public static TaskDecision resume(Calendars calendars) {
        return resume(calendars, 0);
    }

    /**
     * Resumes the task, and runs the newest slots that passed meanwhile, one after the other.
     *
     * @param caughtUp the maximum number of such slots, at most {@link CatchUp#MAX_SLOTS}
     */
    public static TaskDecision resume(Calendars calendars, int caughtUp) {
        return (current, nowMillis) -> resumed(current, nowMillis, calendars, caughtUp);
    }

    /** Resumes a task whose pause has ended, as of that end: slots since then are due. */
    public static TaskDecision endPause(Calendars calendars) {
        return (current, nowMillis) -> {
            OptionalLong end = current.progress().pause().untilMillis();
            return end.isPresent() && end.getAsLong() <= nowMillis
                    ? resumed(current, end.getAsLong(), calendars, 0)
                    : new TaskChange.Keep();
        };
    }

    /** @param reason recorded at the slots that were never claimed */
    public static TaskDecision remove(String reason, Calendars calendars) {
        return (current, nowMillis) ->
                new TaskChange.Remove(PassedSlotFinder.of(current, nowMillis, reason, calendars));
    }

    /**
     * Removes the task in the version that the caller has read. The decision throws {@link VersionConflictException} if
     * the task has another version.
     */
    public static TaskDecision removeVersion(long version, Calendars calendars) {
        return (current, nowMillis) -> {
            if (current.version() != version) {
                throw new VersionConflictException(version, current.version());
            }
            return remove(REMOVED, calendars).decide(current, nowMillis);
        };
    }

    /** Replaces the values that came from defaults by the current defaults. */
    public static TaskDecision followDefaults(Calendars calendars) {
        return (current, nowMillis) -> new TaskEdit(current, nowMillis, calendars).followDefaults();
    }

    /** Recomputes the next fire time with these calendars, at least one of which has changed. */
    public static TaskDecision recalculate(Calendars calendars) {
        return (current, nowMillis) -> new Recalculation(current, nowMillis, calendars).decide();
    }

    private static TaskChange resumed(Task current, long nowMillis, Calendars calendars, int caughtUp) {
        TaskState state = current.progress().state();
        if (state != TaskState.PAUSED && state != TaskState.ERROR) {
            return new TaskChange.Keep();
        }
        try {
            NextFireTimeChange timing = NextFireTimeChange.of(current, nowMillis, calendars);
            TaskDefinition definition = TaskReader.definition(
                    current.content().app(),
                    current.content().name(),
                    current.content().definition(),
                    calendars);
            PassedSlotFinder.Resumed slots = PassedSlotFinder.parted(
                    current, nowMillis, "its definition could not be read", calendars, caughtUp);
            // For a fixed-delay schedule, the delay counts from now, because no run ends.
            boolean replanned =
                    definition.schedule().followsTheRun() || current.progress().state() == TaskState.ERROR;
            return new TaskChange.Rewrite(
                    current.content(),
                    timing.resume(definition),
                    slots.skipped(),
                    slots.caughtUp(),
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
