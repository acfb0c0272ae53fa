package io.twinbell.node.task;

import io.twinbell.node.json.InvalidJsonException;
import io.twinbell.node.schedule.Schedule;
import io.twinbell.persistence.task.Task;
import io.twinbell.persistence.task.TaskProgress;
import io.twinbell.persistence.task.TaskState;
import java.util.OptionalLong;

/** Where a task stands after its timing was changed: later than now, and later than the last slot claimed. */
final class Timing {
    private final Task task;
    private final TaskProgress was;
    private final long afterMillis;

    private Timing(Task task, long nowMillis) {
        this.task = task;
        was = task.progress();
        afterMillis = Math.max(nowMillis, was.previousFireMillis().orElse(Long.MIN_VALUE));
    }

    static Timing of(Task task, long nowMillis) {
        return new Timing(task, nowMillis);
    }

    /** @throws InvalidJsonException if the stored definition can't be read */
    static TaskDefinition definition(Task task) {
        return TaskReader.definition(
                task.content().app(), task.content().name(), task.content().definition());
    }

    /** Resuming never fails: a task whose time is over, or that has had all its runs, is FINISHED. */
    TaskProgress resume(TaskDefinition definition) {
        return counted(definition, goingOn(definition.schedule()));
    }

    private TaskProgress goingOn(Schedule schedule) {
        boolean isToCome =
                was.state() == TaskState.PAUSED && was.nextFireMillis().orElse(Long.MIN_VALUE) > afterMillis;
        if (isToCome) {
            return was.in(TaskState.ACTIVE, null);
        }
        if (waitsForItsRun(schedule)) {
            return active(OptionalLong.empty());
        }
        long next = schedule.next(afterMillis);
        return next == Schedule.NEVER
                ? was.at(TaskState.FINISHED, null, OptionalLong.empty())
                : active(OptionalLong.of(next));
    }

    /**
     * By a schedule that an edit has changed. An instant that both schedules mean fires once, though they put it off
     * differently: not again if it was claimed or has passed, and not never if it was still to come.
     *
     * @throws InvalidJsonException if the schedule has no further fire time
     */
    TaskProgress changed(TaskDefinition definition) {
        Schedule schedule = definition.schedule();
        if (waitsForItsRun(schedule)) {
            return counted(definition, active(OptionalLong.empty()));
        }
        Schedule before = scheduleBefore();
        long next = schedule.next(afterMillis);
        long meant = schedule.meantBy(next);
        boolean isPast = meant <= afterMillis && (before == null || !isToCome(before.fireFor(meant)));
        next = TaskReader.firing(isPast ? schedule.nextMeant(afterMillis) : next);
        long owed = before == null ? Schedule.NEVER : before.next(afterMillis);
        boolean isOwed = owed < next
                && before.meantBy(owed) <= afterMillis
                && schedule.fireFor(before.meantBy(owed)) <= afterMillis;
        return counted(definition, isOwed ? active(OptionalLong.of(owed)).standing() : active(OptionalLong.of(next)));
    }

    private boolean isToCome(long fireMillis) {
        return fireMillis > afterMillis && fireMillis != Schedule.NEVER;
    }

    /** @throws InvalidJsonException unless {@code wantedMillis} is late enough and there is a run left */
    TaskProgress moved(TaskDefinition definition, long wantedMillis) {
        if (wantedMillis <= afterMillis) {
            throw new InvalidJsonException("/nextFireTime", "must be later than now, and than the last slot claimed");
        }
        if (was.runs() >= definition.maxRuns()) {
            throw new InvalidJsonException(
                    "/nextFireTime",
                    "the task has had " + was.runs() + " runs, and maxRuns is " + definition.maxRuns());
        }
        OptionalLong wanted = OptionalLong.of(wantedMillis);
        return wanted.equals(was.nextFireMillis())
                ? was.in(TaskState.ACTIVE, null)
                : active(wanted).standing();
    }

    /** More runs than before set a task going that had had all of them; fewer may finish it. */
    TaskProgress recounted(TaskDefinition definition) {
        boolean mayGoOn = was.state() == TaskState.FINISHED && was.runs() < definition.maxRuns();
        return mayGoOn ? goingOn(definition.schedule()) : counted(definition, was);
    }

    private TaskProgress counted(TaskDefinition definition, TaskProgress progress) {
        return was.runs() < definition.maxRuns()
                ? progress
                : progress.at(TaskState.FINISHED, null, OptionalLong.empty());
    }

    private TaskProgress active(OptionalLong next) {
        return was.at(TaskState.ACTIVE, null, next);
    }

    /** A run under way tells the next fire time when it ends, whoever edits meanwhile. */
    private boolean waitsForItsRun(Schedule schedule) {
        boolean mayRun = was.state() == TaskState.ACTIVE || was.state() == TaskState.PAUSED;
        Schedule before =
                mayRun && schedule.followsTheRun() && was.nextFireMillis().isEmpty() ? scheduleBefore() : null;
        return before != null && before.followsTheRun();
    }

    /** Null if it can't be read. */
    private Schedule scheduleBefore() {
        try {
            return definition(task).schedule();
        } catch (InvalidJsonException e) {
            return null;
        }
    }
}
