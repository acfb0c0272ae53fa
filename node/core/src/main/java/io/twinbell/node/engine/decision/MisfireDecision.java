package io.twinbell.node.engine.decision;

import io.twinbell.node.engine.task.Misfire;
import io.twinbell.node.engine.task.Overdue;
import io.twinbell.node.engine.task.Schedule;

/** Decides which slots of a misfire do not run. A pure function. */
public final class MisfireDecision {
    /** A time before every fire time: no slot is left out, and the oldest one runs. */
    private static final long NONE = Schedule.NONE_BEFORE;

    private MisfireDecision() {}

    /** The last slot of the MISSED row; {@link #NONE} if the oldest slot runs. */
    static long lastMissed(SlotDecision.Due due, Overdue overdue) {
        Misfire misfire = due.definition().misfire();
        return switch (misfire.policy()) {
            case SKIP -> overdue.last();
            case FIRE_ONCE -> before(due, overdue, 1);
            case FIRE_ALL ->
                misfire.order() == Misfire.Order.OLDEST
                        ? due.oldestLeft() > 0 ? NONE : overdue.last()
                        : before(due, overdue, misfire.max());
        };
    }

    /** The fire time of the slot before the newest ones, of which the given number run. */
    private static long before(SlotDecision.Due due, Overdue overdue, int newest) {
        if (overdue.complete() && overdue.count() <= newest) {
            return NONE;
        }
        Schedule schedule = due.definition().schedule();
        long slot = overdue.last();
        for (int kept = 0; kept < newest && slot > due.fireMillis(); kept++) {
            slot = schedule.previous(slot);
        }
        return Math.max(slot, due.fireMillis());
    }

    public static String reason(Misfire misfire) {
        return "misfire: overdue by more than " + misfire.threshold()
                + switch (misfire.policy()) {
                    case SKIP -> ", and none of these slots runs";
                    case FIRE_ONCE -> ", the newest slot runs";
                    case FIRE_ALL ->
                        ", the " + (misfire.max() == 1 ? "" : misfire.max() + " ")
                                + (misfire.order() == Misfire.Order.OLDEST ? "oldest" : "newest")
                                + (misfire.max() == 1 ? " slot runs" : " slots run");
                };
    }
}
