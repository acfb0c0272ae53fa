package io.twinbell.node.task;

import io.twinbell.node.json.InvalidJsonException;
import io.twinbell.node.schedule.Calendars;
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
    private final Calendars calendars;

    private Timing(Task task, long nowMillis, Calendars calendars) {
        this.task = task;
        this.calendars = calendars;
        was = task.progress();
        afterMillis = Math.max(nowMillis, was.previousFireMillis().orElse(Long.MIN_VALUE));
    }

    static Timing of(Task task, long nowMillis, Calendars calendars) {
        return new Timing(task, nowMillis, calendars);
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

    /** Resuming never fails: a task whose time is over, or that has had all its runs, is FINISHED. */
    TaskProgress resume(TaskDefinition definition) {
        return counted(definition, goingOn(definition.schedule()));
    }

    private TaskProgress goingOn(Schedule schedule) {
        if (was.state() == TaskState.PAUSED && keepsItsPlace(schedule)) {
            return was.in(TaskState.ACTIVE, null);
        }
        if (waitsForItsRun(schedule)) {
            return active(OptionalLong.empty());
        }
        long next = schedule.next(afterMillis);
        return next == Schedule.NEVER
                ? was.at(TaskState.FINISHED, whyFinished(schedule), OptionalLong.empty())
                : active(OptionalLong.of(next));
    }

    /** A calendar may have changed since the fire time was computed; what somebody set, or a run, stays if it may. */
    private boolean keepsItsPlace(Schedule schedule) {
        long stands = was.nextFireMillis().orElse(Long.MIN_VALUE);
        boolean isItsOwn = was.offSchedule() || schedule.followsTheRun();
        return stands > afterMillis && (schedule.calendars().isEmpty() || isItsOwn && schedule.allows(stands));
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
        next = TaskReader.firing(isPast ? schedule.nextMeant(afterMillis) : next, schedule, afterMillis);
        long owed = before == null ? Schedule.NEVER : before.next(afterMillis);
        boolean isOwed = owed < next
                && before.meantBy(owed) <= afterMillis
                && schedule.fireFor(before.meantBy(owed)) <= afterMillis;
        return counted(definition, isOwed ? active(OptionalLong.of(owed)).standing() : active(OptionalLong.of(next)));
    }

    private boolean isToCome(long fireMillis) {
        return fireMillis > afterMillis && fireMillis != Schedule.NEVER;
    }

    /**
     * A delay that counts from now, from which nothing that was before takes away: a delay of zero is now.
     *
     * @throws InvalidJsonException if calendars exclude its instant, a later slot has been claimed, or there is no run left
     */
    TaskProgress begun(TaskDefinition definition) {
        refuseWithoutRuns("/maxRuns", definition);
        Schedule schedule = definition.schedule();
        long fire = schedule.previous(Schedule.NEVER);
        boolean isClaimed = was.previousFireMillis().isPresent()
                && fire <= was.previousFireMillis().getAsLong();
        return active(OptionalLong.of(
                TaskReader.firing(isClaimed ? schedule.next(afterMillis) : fire, schedule, afterMillis)));
    }

    private void refuseWithoutRuns(String pointer, TaskDefinition definition) {
        if (was.runs() >= definition.maxRuns()) {
            throw new InvalidJsonException(
                    pointer, "the task has had " + was.runs() + " runs, and maxRuns is " + definition.maxRuns());
        }
    }

    /** @throws InvalidJsonException unless {@code wantedMillis} is late enough and let through, and there is a run left */
    TaskProgress moved(TaskDefinition definition, long wantedMillis) {
        if (!definition.schedule().allows(wantedMillis)) {
            throw new InvalidJsonException("/nextFireTime", "is not let through by the task's calendars");
        }
        if (wantedMillis <= afterMillis) {
            throw new InvalidJsonException("/nextFireTime", "must be later than now, and than the last slot claimed");
        }
        refuseWithoutRuns("/nextFireTime", definition);
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

    private String whyFinished(Schedule schedule) {
        boolean byItself = schedule.withoutCalendars().next(afterMillis) == Schedule.NEVER;
        return byItself ? null : TaskChanges.NOTHING_LEFT;
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
            return schedule(task, calendars);
        } catch (InvalidJsonException e) {
            return null;
        }
    }
}
