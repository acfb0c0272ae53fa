package io.twinbell.node.schedule;

import io.twinbell.node.engine.task.DstMark;
import io.twinbell.node.engine.task.Overdue;
import io.twinbell.node.engine.task.Schedule;
import io.twinbell.node.schedule.cron.IdentityHash;
import io.twinbell.node.schedule.text.Interval;
import java.util.List;
import java.util.Map;

/**
 * Delays each fire time of another schedule by 0 to {@code jitterMillis}, so that tasks with the same schedule do not
 * all start at the same instant. The delay is a hash of the task's identity and the nominal instant, so it is the same
 * on both nodes and after every restart.
 *
 * <p>A fire time is always before the next nominal instant, and within the window. The order is therefore kept, no two
 * fire times coincide, and an instant and its fire time are computed from each other in a step or two, without a
 * search.
 *
 * <p>The calendars are inside the wrapped schedule: they judge the nominal instant and not the fire time, and the delay
 * does not depend on them. A schedule that depends on its runs is different, because its fire time itself is judged: it
 * is not delayed if the calendars do not allow the delayed time.
 *
 * @param meant the wrapped schedule, which computes the nominal instants
 * @param seed distinguishes this task from others
 */
record JitteredSchedule(Schedule meant, long jitterMillis, Window window, long seed) implements Schedule {
    @Override
    public long next(long afterMillis) {
        long candidate = fireOf(lastByNominal(afterMillis));
        return candidate > afterMillis ? candidate : fireOf(meant.next(afterMillis));
    }

    @Override
    public long previous(long beforeMillis) {
        long instant = meant.previous(beforeMillis);
        long candidate = fireOf(instant);
        return candidate < beforeMillis ? candidate : fireOf(meant.previous(instant));
    }

    /**
     * All nominal instants up to {@code untilMillis}, except possibly the last one, have fired by then. So only the
     * last one must be checked.
     */
    @Override
    public Overdue overdue(long firstMillis, long untilMillis, int limit) {
        if (firstMillis > untilMillis || followsTheRun()) {
            return meant.overdue(firstMillis, untilMillis, limit);
        }
        long second = next(firstMillis);
        if (second == NEVER || second > untilMillis) {
            return new Overdue(firstMillis, firstMillis, 1, true);
        }
        long last = lastByNominal(untilMillis);
        if (fireOf(last) > untilMillis) {
            last = meant.previous(last);
        }
        Overdue further = meant.overdue(nominalTime(second), last, Math.max(1, limit - 1));
        return new Overdue(firstMillis, fireOf(further.last()), 1 + further.count(), further.complete());
    }

    @Override
    public DstMark mark(long fireMillis) {
        long instant = nominalTime(fireMillis);
        return fireFor(instant) == fireMillis ? meant.mark(instant) : DstMark.NONE;
    }

    @Override
    public String description() {
        return meant.description() + ", each up to " + Interval.words(jitterMillis) + " later";
    }

    @Override
    public boolean followsTheRun() {
        return meant.followsTheRun();
    }

    @Override
    public long afterRun(long endMillis) {
        return fireOf(meant.afterRun(endMillis));
    }

    @Override
    public boolean firesOnce() {
        return meant.firesOnce();
    }

    @Override
    public boolean followsAZone() {
        return meant.followsAZone();
    }

    /**
     * A time that is not a fire time of this schedule, because it was set by hand, is its own nominal instant. A
     * nominal instant that the calendars exclude still has a fire time.
     */
    @Override
    public long nominalTime(long fireMillis) {
        long instant = lastUpTo(fireMillis, followsTheRun() ? meant : meant.withoutCalendars());
        return fireOf(instant) == fireMillis ? instant : fireMillis;
    }

    @Override
    public boolean allows(long fireMillis) {
        return meant.allows(followsTheRun() ? fireMillis : nominalTime(fireMillis));
    }

    @Override
    public long letThrough(long fireMillis) {
        if (allows(fireMillis)) {
            return fireMillis;
        }
        return fireOf(meant.letThrough(followsTheRun() ? fireMillis : nominalTime(fireMillis)));
    }

    @Override
    public List<String> excludedBy(long fireMillis) {
        return meant.excludedBy(followsTheRun() ? fireMillis : nominalTime(fireMillis));
    }

    @Override
    public Map<String, Long> calendars() {
        return meant.calendars();
    }

    @Override
    public Schedule withoutCalendars() {
        return new JitteredSchedule(meant.withoutCalendars(), jitterMillis, window, seed);
    }

    @Override
    public long nextByNominal(long afterMillis) {
        return fireOf(meant.next(afterMillis));
    }

    @Override
    public long fireFor(long meantMillis) {
        return fireOf(meant.fireFor(meantMillis));
    }

    private long lastByNominal(long millis) {
        return lastUpTo(millis, meant);
    }

    private static long lastUpTo(long millis, Schedule schedule) {
        return schedule.previous(millis == NEVER ? NEVER : millis + 1);
    }

    private long fireOf(long instant) {
        if (instant == NEVER || instant == NONE_BEFORE) {
            return instant;
        }
        long hash = IdentityHash.finished(seed ^ IdentityHash.finished(instant));
        long fire = instant + Long.remainderUnsigned(hash, room(instant) + 1);
        return followsTheRun() && !meant.allows(fire) ? instant : fire;
    }

    /** The bound on the delay after this instant: the next nominal instant. After a run there is none. */
    private long room(long instant) {
        long last = window.lastMillis();
        long before =
                followsTheRun() ? last : Math.min(last, meant.withoutCalendars().next(instant) - 1);
        return Math.min(jitterMillis, before - instant);
    }
}
