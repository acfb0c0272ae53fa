package io.twinbell.node.task;

import io.twinbell.node.engine.decision.SlotDecision;
import io.twinbell.node.engine.task.Schedule;
import io.twinbell.node.engine.task.TaskDefinition;
import io.twinbell.node.json.InvalidJsonException;
import io.twinbell.node.schedule.Calendars;
import io.twinbell.persistence.task.Task;
import io.twinbell.persistence.task.TaskProgress;
import io.twinbell.persistence.task.TaskState;
import java.util.OptionalLong;

/**
 * Computes a task's next fire time after its timing was changed: later than now, and later than the last claimed slot.
 */
final class NextFireTimeChange {
    private final Task task;
    private final TaskProgress was;
    private final long afterMillis;
    private final Calendars calendars;

    private NextFireTimeChange(Task task, long nowMillis, Calendars calendars) {
        this.task = task;
        this.calendars = calendars;
        was = task.progress();
        afterMillis = Math.max(nowMillis, was.previousFireMillis().orElse(Long.MIN_VALUE));
    }

    static NextFireTimeChange of(Task task, long nowMillis, Calendars calendars) {
        return new NextFireTimeChange(task, nowMillis, calendars);
    }

    /** @throws InvalidJsonException if the stored definition cannot be read */
    static Schedule schedule(Task task, Calendars calendars) {
        return TaskReader.definition(
                        task.content().app(),
                        task.content().name(),
                        task.content().definition(),
                        calendars)
                .schedule();
    }

    /**
     * Resumes the task. This never fails: a task whose schedule has ended, or that has used all its runs, becomes
     * FINISHED.
     */
    TaskProgress resume(TaskDefinition definition) {
        return counted(definition, goingOn(definition.schedule()));
    }

    private TaskProgress goingOn(Schedule schedule) {
        if (was.state() == TaskState.PAUSED && keepsFireTime(schedule)) {
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

    /**
     * Whether the next fire time is still valid, although a calendar may have changed since it was computed. A fire
     * time that was set by hand or that depends on a run is valid if the calendars allow it.
     */
    private boolean keepsFireTime(Schedule schedule) {
        long stands = was.nextFireMillis().orElse(Long.MIN_VALUE);
        boolean isItsOwn = was.offSchedule() || schedule.followsTheRun();
        return stands > afterMillis && (schedule.calendars().isEmpty() || isItsOwn && schedule.allows(stands));
    }

    /**
     * Computes the fire time for an edited schedule. An instant that is part of both schedules fires exactly once, even
     * if their jitters differ. It does not fire again if it was claimed or has passed, and it is not lost if it was
     * still to come.
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
        long meant = schedule.nominalTime(next);
        boolean isPast = meant <= afterMillis && (before == null || !isToCome(before.fireFor(meant)));
        next = TaskReader.firing(isPast ? schedule.nextByNominal(afterMillis) : next, schedule, afterMillis);
        long owed = before == null ? Schedule.NEVER : before.next(afterMillis);
        boolean isOwed = owed < next
                && before.nominalTime(owed) <= afterMillis
                && schedule.fireFor(before.nominalTime(owed)) <= afterMillis;
        return counted(definition, isOwed ? active(OptionalLong.of(owed)).standing() : active(OptionalLong.of(next)));
    }

    private boolean isToCome(long fireMillis) {
        return fireMillis > afterMillis && fireMillis != Schedule.NEVER;
    }

    /**
     * Computes the fire time of a delay that counts from now, regardless of earlier fire times; a delay of zero fires
     * now.
     *
     * @throws InvalidJsonException if calendars exclude the instant, a later slot has been claimed, or no run is left
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
                    pointer, "the task already had " + was.runs() + " runs, and maxRuns is " + definition.maxRuns());
        }
    }

    /**
     * @throws InvalidJsonException unless {@code wantedMillis} is late enough, the calendars allow it, and a run is
     *     left
     */
    TaskProgress moved(TaskDefinition definition, long wantedMillis) {
        if (!definition.schedule().allows(wantedMillis)) {
            throw new InvalidJsonException("/nextFireTime", "is excluded by the task's calendars");
        }
        if (wantedMillis <= afterMillis) {
            throw new InvalidJsonException(
                    "/nextFireTime", "must be later than now and later than the last claimed slot");
        }
        refuseWithoutRuns("/nextFireTime", definition);
        OptionalLong wanted = OptionalLong.of(wantedMillis);
        return wanted.equals(was.nextFireMillis())
                ? was.in(TaskState.ACTIVE, null)
                : active(wanted).standing();
    }

    /**
     * Applies a changed {@code maxRuns}. A larger value reactivates a task that had used all its runs; a smaller one
     * may finish it.
     */
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
        return byItself ? null : SlotDecision.NOTHING_LEFT;
    }

    /** Whether a running execution will determine the next fire time when it ends. */
    private boolean waitsForItsRun(Schedule schedule) {
        boolean mayRun = was.state() == TaskState.ACTIVE || was.state() == TaskState.PAUSED;
        Schedule before =
                mayRun && schedule.followsTheRun() && was.nextFireMillis().isEmpty() ? scheduleBefore() : null;
        return before != null && before.followsTheRun();
    }

    /** Returns null if the stored definition cannot be read. */
    private Schedule scheduleBefore() {
        try {
            return schedule(task, calendars);
        } catch (InvalidJsonException e) {
            return null;
        }
    }
}
