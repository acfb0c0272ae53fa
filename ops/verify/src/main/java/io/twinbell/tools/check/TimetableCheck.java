package io.twinbell.tools.check;

import io.twinbell.tools.check.history.CheckedSlot;
import io.twinbell.tools.check.history.LedgerRow;
import io.twinbell.tools.check.history.WalkedTask;
import java.time.Instant;
import java.util.PrimitiveIterator;
import java.util.function.Consumer;

/**
 * Checks the rows of a timetable task: each slot is covered by exactly one row, and each planned row is a slot of the
 * timetable.
 */
final class TimetableCheck implements TaskHistoryWalk.Path {
    private static final long NONE = Long.MAX_VALUE;
    /**
     * Marks a count that is a lower bound: the slots of a long pause are counted only as long as the task may be
     * locked.
     */
    private static final String AT_LEAST = "at least this many slots";

    private final WalkedTask task;
    private final PrimitiveIterator.OfLong owed;
    private final Consumer<Violation> violations;
    private long ahead = NONE;
    private long coveredUntil = Long.MIN_VALUE;
    private long firstLost;
    private long lastLost;
    private long lost;

    TimetableCheck(WalkedTask task, PrimitiveIterator.OfLong owed, Consumer<Violation> offences) {
        this.task = task;
        this.owed = owed;
        this.violations = offences;
        step();
    }

    private void step() {
        ahead = owed.hasNext() ? owed.nextLong() : NONE;
    }

    @Override
    public void before(LedgerRow row) {
        if (row.cover().untilMillis() >= task.owedRange().fromMillis()) {
            cover(row.cover().untilMillis());
        }
    }

    @Override
    public void row(LedgerRow row, boolean isPlanned) {
        if (!isPlanned) {
            return;
        }
        long fire = row.slot().fireMillis();
        lose(fire);
        if (fire <= coveredUntil) {
            report(Rule.COVERED_TWICE, row.slot(), "an earlier row also covers it, up to " + text(coveredUntil));
            cover(row.cover().untilMillis());
            return;
        }
        if (ahead != fire) {
            report(Rule.UNPLANNED, row.slot(), "it is " + row.state());
            return;
        }
        count(row, cover(row.cover().untilMillis()));
    }

    private void count(LedgerRow row, long found) {
        long said = row.cover().slots();
        boolean isAtLeast = row.reason() != null && row.reason().endsWith(AT_LEAST);
        if (isAtLeast ? said > found : said != found) {
            report(
                    Rule.MISCOUNTED,
                    row.slot(),
                    "it says " + said + " up to " + text(row.cover().untilMillis()) + ", but the schedule has "
                            + found);
        }
    }

    /** Advances past the covered slots; returns their number. */
    private long cover(long untilMillis) {
        reportLost();
        long found = 0;
        while (ahead <= untilMillis && ahead != NONE) {
            found++;
            step();
        }
        coveredUntil = Math.max(coveredUntil, untilMillis);
        return found;
    }

    private void lose(long beforeMillis) {
        long bound = Math.min(beforeMillis, task.owedRange().owedUntilMillis());
        while (ahead < bound) {
            firstLost = lost == 0 ? ahead : firstLost;
            lastLost = ahead;
            lost++;
            step();
        }
        while (ahead < beforeMillis) {
            step();
        }
    }

    /** Reports consecutive lost slots as one violation. */
    private void reportLost() {
        if (lost > 0) {
            report(
                    Rule.LOST,
                    new CheckedSlot(task.id(), firstLost),
                    lost == 1
                            ? task.name()
                            : task.name() + ", and all slots up to " + text(lastLost) + ": " + lost + " slots");
            lost = 0;
        }
    }

    @Override
    public void end() {
        lose(NONE);
        reportLost();
    }

    private void report(Rule rule, CheckedSlot slot, String detail) {
        if (rule != Rule.LOST) {
            reportLost();
        }
        violations.accept(new Violation(rule, slot, detail));
    }

    private static String text(long millis) {
        return Instant.ofEpochMilli(millis).toString();
    }
}
