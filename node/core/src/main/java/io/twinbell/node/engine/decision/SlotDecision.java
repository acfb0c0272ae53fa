package io.twinbell.node.engine.decision;

import io.twinbell.node.engine.task.DoubtPolicy;
import io.twinbell.node.engine.task.Overdue;
import io.twinbell.node.engine.task.Schedule;
import io.twinbell.node.engine.task.TaskDefinition;
import io.twinbell.persistence.cluster.Pause;
import io.twinbell.persistence.epoch.DoubtWindow;
import io.twinbell.persistence.ledger.DoubtReasons;
import io.twinbell.persistence.ledger.ExecutionState;
import io.twinbell.persistence.ledger.LedgerEntry;
import io.twinbell.persistence.ledger.claim.DecidedSlot;
import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;

/** Decides what happens to a due slot: run it, or record why not. A pure function, for one ledger row at a time. */
public final class SlotDecision {
    /** The largest number of cron slots in one row; further slots go to the next row. */
    private static final int SLOTS_PER_ROW = 100_000;

    /** The reason of a FINISHED task that becomes active again if its calendars allow another fire time. */
    public static final String NOTHING_LEFT = "its calendars let no further fire time through";

    public static final String RULES_CHANGED = "the rules of its zone have changed: put off to the next fire time";
    public static final String RESTORED = "may have run before the database was restored";
    public static final String TOO_OLD = "older than the ledger's retention";

    /** The beginning of the reason of an expired slot; a duration follows. */
    public static final String EXPIRED = "expired: not started within ";

    private SlotDecision() {}

    /**
     * The task as it was read, and its due slot.
     *
     * @param offSchedule whether the fire time is valid although the schedule may not have it
     * @param oldestLeft how many more of the oldest overdue slots a FIRE_ALL task may run
     */
    public record Due(
            long taskId,
            long version,
            TaskDefinition definition,
            long fireMillis,
            boolean offSchedule,
            int oldestLeft) {}

    /**
     * The circumstances of a decision.
     *
     * @param nowMillis the database's clock
     * @param pauses when firing was paused
     * @param retention older fire times are recorded and not run, because their row would be dropped
     * @param doubt which unclaimed slots may have run on a primary that was lost
     */
    public record DecisionContext(
            long nowMillis, List<Pause> pauses, Duration retention, DoubtWindow.DoubtBounds doubt) {
        public DecisionContext(long nowMillis, List<Pause> pauses, Duration retention) {
            this(nowMillis, pauses, retention, DoubtWindow.DoubtBounds.NONE);
        }

        boolean isInDoubt(Due due) {
            return doubt.has(due.taskId(), due.fireMillis());
        }

        public boolean isFiringHeld() {
            return pauses.stream().anyMatch(pause -> !pause.isStanding() && pause.isOpenAt(nowMillis));
        }

        /**
         * Returns the circumstances of a task, without the standing pauses of other tasks.
         *
         * @param keys the task's app, tags and handler, as in {@link io.twinbell.persistence.limit.LimitKey}
         */
        public DecisionContext of(Supplier<List<String>> keys) {
            if (pauses.stream().noneMatch(Pause::isStanding)) {
                return this;
            }
            List<String> own = keys.get();
            List<Pause> relevant = pauses.stream()
                    .filter(pause -> !pause.isStanding() || own.contains(pause.key()))
                    .toList();
            return new DecisionContext(nowMillis, relevant, retention, doubt);
        }

        /**
         * Whether the pause prevents the slot from running. An open standing pause also applies to slots that were due
         * before it began, as the pause of a task does.
         */
        boolean isPausedBy(Pause pause, long fireMillis) {
            boolean isLateUnderIt = pause.isStanding()
                    && pause.fromMillis() <= nowMillis
                    && pause.isOpenAt(nowMillis)
                    && fireMillis <= nowMillis;
            return pause.covers(fireMillis) || isLateUnderIt;
        }
    }

    public static DecidedSlot decide(Due due, DecisionContext decisionContext) {
        if (!due.definition().schedule().allows(due.fireMillis())) {
            return skipExcluded(due);
        }
        for (Pause pause : decisionContext.pauses()) {
            if (decisionContext.isPausedBy(pause, due.fireMillis())) {
                // A claim ahead of its fire time is decided before the slot is due.
                long until = Math.max(due.fireMillis(), Math.min(pause.untilMillis(), decisionContext.nowMillis()));
                return passOver(
                        due,
                        until,
                        pause.isRestore() ? ExecutionState.MISSED : ExecutionState.SKIPPED,
                        reason(pause),
                        decisionContext.nowMillis());
            }
        }
        long putOff = putOff(due);
        if (putOff != Schedule.NEVER) {
            LedgerEntry entry = LedgerEntry.withoutRun(ExecutionState.SKIPPED, due.fireMillis(), RULES_CHANGED);
            return claim(due, putOff, false, entry);
        }
        if (due.definition().isExpired(due.fireMillis(), decisionContext.nowMillis())) {
            return expire(due, decisionContext);
        }
        if (decisionContext.isInDoubt(due) && due.definition().onDoubt() != DoubtPolicy.RERUN) {
            return drop(due, decisionContext.nowMillis());
        }
        Duration threshold = due.definition().misfire().threshold();
        long oldestKept =
                decisionContext.nowMillis() - decisionContext.retention().toMillis();
        return decisionContext.nowMillis() - due.fireMillis() > threshold.toMillis()
                ? misfire(due, decisionContext, oldestKept)
                : runUnlessTooOld(due, decisionContext, oldestKept);
    }

    private static String reason(Pause pause) {
        return (pause.isRestore() ? RESTORED + "; adopted by " : "firing was paused by ")
                + pause.by()
                + (pause.isStanding() ? " for " + pause.key() : "")
                + ": "
                + pause.reason();
    }

    /** Enters one row for the slots that may not start any more. */
    private static DecidedSlot expire(Due due, DecisionContext decisionContext) {
        Duration expireAfter = due.definition().expireAfter();
        long lastExpired = decisionContext.nowMillis() - expireAfter.toMillis() - 1;
        return miss(due, decisionContext, lastExpired, expired(expireAfter));
    }

    /** The reason of a slot that did not start in time. */
    public static String expired(Duration expireAfter) {
        return EXPIRED + expireAfter + " of its fire time";
    }

    /** Drops one slot that may have run, with the reason in its row. */
    private static DecidedSlot drop(Due due, long nowMillis) {
        Schedule schedule = due.definition().schedule();
        boolean isAsked = due.definition().onDoubt() == DoubtPolicy.ASK;
        long next = schedule.followsTheRun() ? schedule.afterRun(nowMillis) : schedule.next(due.fireMillis());
        String reason = isAsked ? DoubtReasons.ASKED : DoubtReasons.DROPPED;
        LedgerEntry entry = LedgerEntry.withoutRun(ExecutionState.DROPPED, due.fireMillis(), reason);
        return claim(due, next, next == Schedule.NEVER, entry);
    }

    /** Skips a fire time that a calendar has excluded since it was set: the task advances without a row. */
    private static DecidedSlot skipExcluded(Due due) {
        long next = due.definition().schedule().letThrough(due.fireMillis());
        return claim(due, next, next == Schedule.NEVER, LedgerEntry.none(due.fireMillis(), NOTHING_LEFT));
    }

    /**
     * The time to which to move a fire time that was computed with other zone rules. It stands for the nearest fire
     * time by the current rules, so only one of the two may run. If the nearest one has passed, the slot runs at its
     * own time, and the result is {@link Schedule#NEVER}.
     */
    private static long putOff(Due due) {
        Schedule schedule = due.definition().schedule();
        if (due.offSchedule() || !schedule.followsAZone() || schedule.next(due.fireMillis() - 1) == due.fireMillis()) {
            return Schedule.NEVER;
        }
        long later = schedule.next(due.fireMillis());
        long earlier = schedule.previous(due.fireMillis());
        boolean isNearer = earlier == Schedule.NONE_BEFORE || later - due.fireMillis() <= due.fireMillis() - earlier;
        return isNearer ? later : Schedule.NEVER;
    }

    private static DecidedSlot run(Due due, boolean isInDoubt) {
        Schedule schedule = due.definition().schedule();
        long next = schedule.followsTheRun() ? DecidedSlot.NONE : schedule.next(due.fireMillis());
        boolean isFinished = !schedule.followsTheRun() && next == Schedule.NEVER;
        return claim(
                due,
                next,
                isFinished,
                LedgerEntry.claimed(due.fireMillis(), isInDoubt ? DoubtReasons.RUN_AGAIN : null));
    }

    private static DecidedSlot misfire(Due due, DecisionContext decisionContext, long oldestKept) {
        Overdue overdue =
                due.definition().schedule().overdue(due.fireMillis(), decisionContext.nowMillis(), SLOTS_PER_ROW);
        if (overdue.last() < oldestKept) {
            return passOver(due, overdue.last(), ExecutionState.MISSED, TOO_OLD, decisionContext.nowMillis());
        }
        long lastMissed = MisfireDecision.lastMissed(due, overdue);
        return lastMissed >= due.fireMillis()
                ? miss(
                        due,
                        decisionContext,
                        lastMissed,
                        MisfireDecision.reason(due.definition().misfire()))
                : runUnlessTooOld(due, decisionContext, oldestKept);
    }

    private static DecidedSlot runUnlessTooOld(Due due, DecisionContext decisionContext, long oldestKept) {
        return due.fireMillis() < oldestKept
                ? passOver(due, oldestKept - 1, ExecutionState.MISSED, TOO_OLD, decisionContext.nowMillis())
                : run(due, decisionContext.isInDoubt(due));
    }

    /** Enters one row for the slots up to {@code lastMillis}, as MISSED. Slots in doubt get a row of their own. */
    private static DecidedSlot miss(Due due, DecisionContext decisionContext, long lastMillis, String reason) {
        return decisionContext.isInDoubt(due)
                ? passOver(
                        due,
                        Math.min(lastMillis, decisionContext.doubt().untilMillis()),
                        ExecutionState.DROPPED,
                        DoubtReasons.IN_DOUBT + "; " + reason,
                        decisionContext.nowMillis())
                : passOver(due, lastMillis, ExecutionState.MISSED, reason, decisionContext.nowMillis());
    }

    /** Enters one row for the slots up to {@code untilMillis}; the task advances to the slot after them. */
    private static DecidedSlot passOver(
            Due due, long untilMillis, ExecutionState state, String reason, long nowMillis) {
        Schedule schedule = due.definition().schedule();
        Overdue passed = schedule.overdue(due.fireMillis(), untilMillis, SLOTS_PER_ROW);
        if (!passed.complete()) {
            passed = firstOf(schedule, due.fireMillis(), (int) Math.min(passed.count(), SLOTS_PER_ROW));
        }
        long next = schedule.followsTheRun() ? schedule.afterRun(nowMillis) : schedule.next(passed.last());
        LedgerEntry entry = passed.count() > 1
                ? new LedgerEntry(state, passed.last(), passed.count(), schedule.next(due.fireMillis()), reason)
                : LedgerEntry.withoutRun(state, due.fireMillis(), reason);
        return claim(due, next, next == Schedule.NEVER, entry);
    }

    private static Overdue firstOf(Schedule schedule, long first, int count) {
        long last = first;
        for (int slots = 1; slots < count; slots++) {
            last = schedule.next(last);
        }
        return new Overdue(first, last, count, true);
    }

    private static DecidedSlot claim(Due due, long next, boolean isFinished, LedgerEntry entry) {
        return new DecidedSlot(
                due.taskId(),
                due.version(),
                due.fireMillis(),
                next,
                isFinished,
                due.definition().maxRuns(),
                entry);
    }
}
