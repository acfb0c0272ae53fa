package io.twinbell.node.task;

import io.twinbell.node.compile.store.SkippedRange;
import io.twinbell.node.engine.task.Overdue;
import io.twinbell.node.engine.task.Schedule;
import io.twinbell.node.json.InvalidJsonException;
import io.twinbell.node.schedule.Calendars;
import io.twinbell.persistence.task.CaughtUpSlots;
import io.twinbell.persistence.task.PassedSlots;
import io.twinbell.persistence.task.PassedSlots.Outcome;
import io.twinbell.persistence.task.Task;
import io.twinbell.persistence.task.TaskProgress;
import io.twinbell.persistence.task.TaskState;
import java.util.LinkedList;
import java.util.Optional;

/** Finds the unclaimed, due slots of a task that a change skips. */
public final class PassedSlotFinder {
    public static final String MOVED = "somebody moved the next fire time past it";

    /** Counting the fire times of a cron schedule takes time, and the task is locked meanwhile. */
    private static final int MAX_COUNTED = 10_000;

    private PassedSlotFinder() {}

    /**
     * @param reason why the slots are MISSED; slots that a pause prevented are SKIPPED with the reason of the pause
     */
    static Optional<PassedSlots> of(Task task, long nowMillis, String reason, Calendars calendars) {
        TaskProgress progress = task.progress();
        boolean hasNone = progress.state() == TaskState.FINISHED
                || progress.nextFireMillis().isEmpty()
                || progress.nextFireMillis().getAsLong() > nowMillis;
        if (hasNone) {
            return Optional.empty();
        }
        long first = progress.nextFireMillis().getAsLong();
        try {
            Schedule schedule = NextFireTimeChange.schedule(task, calendars);
            // The first slot may have been claimed by an earlier task of the same name.
            boolean isClaimed = progress.previousFireMillis().equals(progress.nextFireMillis());
            long firstOwed = isClaimed ? schedule.next(first) : first;
            return from(firstOwed, schedule, task, nowMillis, reason);
        } catch (InvalidJsonException e) {
            // For an unreadable task, only the slot at its next fire time is known.
            return slots(new Overdue(first, first, 1, false), first, progress, reason);
        }
    }

    /**
     * The slots that passed during a pause: those that a resume skips, and those that it runs.
     *
     * @param skipped all others
     */
    record Resumed(Optional<PassedSlots> skipped, CaughtUpSlots caughtUp) {}

    /**
     * Divides the slots that have passed: the newest ones run now, and the others are skipped.
     *
     * @param caughtUp the maximum number of slots that run
     */
    static Resumed parted(Task task, long nowMillis, String reason, Calendars calendars, int caughtUp) {
        Optional<PassedSlots> all = of(task, nowMillis, reason, calendars);
        if (all.isEmpty() || caughtUp == 0) {
            return new Resumed(all, CaughtUpSlots.NONE);
        }
        long first = all.get().firstMillis();
        Schedule schedule = NextFireTimeChange.schedule(task, calendars);
        LinkedList<Long> newest = newest(first, schedule, nowMillis, caughtUp);
        long oldest = newest.getFirst();
        Optional<PassedSlots> skipped =
                oldest == first ? Optional.empty() : from(first, schedule, task, oldest - 1, reason);
        return new Resumed(
                skipped, new CaughtUpSlots(newest, "caught up: " + all.get().reason()));
    }

    /** The first slot may have been set by hand, off the schedule. */
    private static LinkedList<Long> newest(long firstMillis, Schedule schedule, long nowMillis, int max) {
        LinkedList<Long> newest = new LinkedList<>();
        long fire = schedule.followsTheRun() ? firstMillis : schedule.previous(nowMillis + 1);
        while (fire > firstMillis && newest.size() < max) {
            newest.addFirst(fire);
            fire = schedule.previous(fire);
        }
        if (newest.size() < max) {
            newest.addFirst(firstMillis);
        }
        return newest;
    }

    /** Returns the slots of a schedule from {@code firstMillis} until now. */
    static Optional<PassedSlots> from(long firstMillis, Schedule schedule, Task task, long nowMillis, String reason) {
        return firstMillis > nowMillis
                ? Optional.empty()
                : slots(
                        schedule.overdue(firstMillis, nowMillis, MAX_COUNTED),
                        second(firstMillis, schedule),
                        task.progress(),
                        reason);
    }

    /**
     * Returns the slots that were skipped because the next fire time was moved. A schedule that depends on its runs
     * has none.
     */
    public static Optional<PassedSlots> over(SkippedRange skippedRange, Schedule schedule) {
        long first = schedule.next(skippedRange.afterMillis());
        if (schedule.followsTheRun() || first >= skippedRange.untilMillis()) {
            return Optional.empty();
        }
        Overdue overdue = schedule.overdue(first, skippedRange.untilMillis() - 1, MAX_COUNTED);
        return slots(overdue, second(first, schedule), Outcome.SKIPPED, MOVED);
    }

    private static long second(long firstMillis, Schedule schedule) {
        long second = schedule.next(firstMillis);
        return second == Schedule.NEVER ? firstMillis : second;
    }

    private static Optional<PassedSlots> slots(
            Overdue overdue, long secondMillis, TaskProgress progress, String reason) {
        return progress.state() == TaskState.PAUSED
                ? slots(overdue, secondMillis, Outcome.SKIPPED, pausedFor(progress))
                : slots(overdue, secondMillis, Outcome.MISSED, reason);
    }

    private static Optional<PassedSlots> slots(Overdue overdue, long secondMillis, Outcome outcome, String reason) {
        return Optional.of(new PassedSlots(
                overdue.first(),
                overdue.count() > 1 ? secondMillis : overdue.first(),
                overdue.last(),
                overdue.count(),
                outcome,
                reason + (overdue.complete() ? "" : "; at least this many slots")));
    }

    private static String pausedFor(TaskProgress progress) {
        String by = progress.pause().by();
        return "paused" + (by == null ? "" : " by " + by) + (progress.reason() == null ? "" : ": " + progress.reason());
    }
}
