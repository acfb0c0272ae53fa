package io.twinbell.node.engine.run;

import io.twinbell.persistence.limit.RunLimit;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The latest starts under a rate limit: at most a given number within any period of its length. Times in milliseconds.
 */
final class RateWindow {
    private final RunLimit.Rate rate;
    /** Start times by what started, in order of time; may still contain starts that have left the window. */
    private final LinkedHashMap<Object, Long> starts = new LinkedHashMap<>();

    private long latest = Long.MIN_VALUE;

    RateWindow(RunLimit.Rate rate) {
        this.rate = rate;
    }

    /** A copy with the same starts under another limit. */
    RateWindow with(RunLimit.Rate other) {
        RateWindow changed = new RateWindow(other);
        changed.starts.putAll(starts);
        changed.latest = latest;
        return changed;
    }

    RunLimit.Rate rate() {
        return rate;
    }

    /** How many more may start at that time. */
    int room(long atMillis) {
        long at = notBeforeTheLatest(atMillis);
        Iterator<Long> oldest = starts.values().iterator();
        while (oldest.hasNext() && oldest.next() + rate.per().toMillis() <= at) {
            oldest.remove();
        }
        return Math.max(0, rate.max() - starts.size());
    }

    /** When there will be room if nothing else starts; {@link Long#MIN_VALUE} if there is room now. */
    long nextMillis(long nowMillis) {
        if (room(nowMillis) > 0) {
            return Long.MIN_VALUE;
        }
        int inTheWay = starts.size() - rate.max();
        return starts.values().stream().skip(inTheWay).findFirst().orElseThrow()
                + rate.per().toMillis();
    }

    /** @param what identifies the start, by object identity */
    void add(Object what, long atMillis) {
        latest = notBeforeTheLatest(atMillis);
        starts.put(what, latest);
    }

    /** Claims are made a little ahead of time and in any order, so a time before the latest counts as the latest. */
    private long notBeforeTheLatest(long atMillis) {
        return starts.isEmpty() ? atMillis : Math.max(atMillis, latest);
    }

    /**
     * Notes that a start happens now. It counts from now on, which may be later than the time that it was added with.
     */
    void started(Object what, long nowMillis) {
        Long expected = starts.get(what);
        if (expected == null || expected < nowMillis) {
            starts.remove(what);
            add(what, nowMillis);
        }
    }

    /** Removes an added start that does not happen. */
    void takeBack(Object what) {
        starts.remove(what);
    }

    /** Adds starts of another master, in any order. */
    void addStarts(Collection<Long> others) {
        others.forEach(start -> starts.put(new Object(), start));
        List<Map.Entry<Object, Long>> all = new ArrayList<>(starts.entrySet());
        all.sort(Map.Entry.comparingByValue());
        starts.clear();
        all.forEach(start -> starts.put(start.getKey(), start.getValue()));
        latest = all.isEmpty() ? latest : all.get(all.size() - 1).getValue();
    }
}
