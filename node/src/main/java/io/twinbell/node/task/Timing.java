package io.twinbell.node.task;

import io.twinbell.node.json.InvalidJsonException;
import io.twinbell.node.schedule.Calendars;
import io.twinbell.node.schedule.Schedule;
import io.twinbell.persistence.task.Task;
import io.twinbell.persistence.task.TaskPause;
import io.twinbell.persistence.task.TaskProgress;
import io.twinbell.persistence.task.TaskState;
import java.util.OptionalLong;

/** Where a task stands after its timing was changed: later than now, and later than the last slot claimed. */
final class Timing {
    private final Task task;
    private final long afterMillis;
    private final Calendars calendars;

    private Timing(Task task, long afterMillis, Calendars calendars) {
        this.task = task;
        this.afterMillis = afterMillis;
        this.calendars = calendars;
    }

    static Timing of(Task task, long nowMillis, Calendars calendars) {
        long after = Math.max(nowMillis, task.progress().previousFireMillis().orElse(Long.MIN_VALUE));
        return new Timing(task, after, calendars);
    }

    /** @throws InvalidJsonException if the stored definition can't be read */
    static Schedule schedule(Task task, Calendars calendars) {
        return TaskReader.definition(
                        task.content().app(),
                        task.content().name(),
                        task.content().definition(),
                        calendars)
                .schedule();
    }

    /** Resuming never fails: a task whose time is over is FINISHED. */
    TaskProgress resume(Schedule schedule) {
        if (waitsForItsRun(schedule)) {
            return progress(TaskState.ACTIVE, null, OptionalLong.empty());
        }
        long next = schedule.next(afterMillis);
        return next == Schedule.NEVER
                ? progress(TaskState.FINISHED, whyFinished(schedule), OptionalLong.empty())
                : progress(TaskState.ACTIVE, null, OptionalLong.of(next));
    }

    /** @throws InvalidJsonException if the schedule has no further fire time */
    OptionalLong next(Schedule schedule) {
        return waitsForItsRun(schedule)
                ? OptionalLong.empty()
                : OptionalLong.of(TaskReader.firstFireTime(schedule, afterMillis));
    }

    /** @throws InvalidJsonException unless {@code wantedMillis} is late enough, and let through */
    OptionalLong moved(long wantedMillis, Schedule schedule) {
        if (!schedule.allows(wantedMillis)) {
            throw new InvalidJsonException("/nextFireTime", "is not let through by the task's calendars");
        }
        if (wantedMillis <= afterMillis) {
            throw new InvalidJsonException("/nextFireTime", "must be later than now, and than the last slot claimed");
        }
        return OptionalLong.of(wantedMillis);
    }

    TaskProgress progress(TaskState state, String reason, OptionalLong next) {
        TaskPause pause = state == TaskState.PAUSED ? task.progress().pause() : TaskPause.NONE;
        return new TaskProgress(state, reason, next, task.progress().previousFireMillis(), pause);
    }

    private String whyFinished(Schedule schedule) {
        boolean byItself = schedule.withoutCalendars().next(afterMillis) == Schedule.NEVER;
        return byItself ? null : TaskChanges.NOTHING_LEFT;
    }

    /** A run under way tells the next fire time when it ends, whoever edits meanwhile. */
    private boolean waitsForItsRun(Schedule schedule) {
        TaskState state = task.progress().state();
        boolean mayRun = state == TaskState.ACTIVE || state == TaskState.PAUSED;
        return mayRun
                && schedule.followsTheRun()
                && task.progress().nextFireMillis().isEmpty()
                && followedTheRun();
    }

    private boolean followedTheRun() {
        try {
            return schedule(task, calendars).followsTheRun();
        } catch (InvalidJsonException e) {
            return false;
        }
    }
}
