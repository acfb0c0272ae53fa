package io.twinbell.node.engine.run;

import io.twinbell.persistence.limit.RunLimit;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The latest starts under a rate limit: any stretch of its length has at most so many. Instants in milliseconds. */
final class RateWindow {
    private final RunLimit.Rate rate;
    /** By what started, in order of time; those that have left the window may still be there. */
    private final LinkedHashMap<Object, Long> starts = new LinkedHashMap<>();

    private long latest = Long.MIN_VALUE;

    RateWindow(RunLimit.Rate rate) {
        this.rate = rate;
    }

    /** The same starts under another limit. */
    RateWindow with(RunLimit.Rate other) {
        RateWindow changed = new RateWindow(other);
        changed.starts.putAll(starts);
        changed.latest = latest;
        return changed;
    }

    RunLimit.Rate rate() {
        return rate;
    }

    /** How many more may start at that instant. */
    int room(long atMillis) {
        long at = notBeforeTheLatest(atMillis);
        Iterator<Long> oldest = starts.values().iterator();
        while (oldest.hasNext() && oldest.next() + rate.per().toMillis() <= at) {
            oldest.remove();
        }
        return Math.max(0, rate.max() - starts.size());
    }

    /** When there will be room, if nothing else starts; {@link Long#MIN_VALUE} if there is. */
    long nextMillis(long nowMillis) {
        if (room(nowMillis) > 0) {
            return Long.MIN_VALUE;
        }
        int inTheWay = starts.size() - rate.max();
        return starts.values().stream().skip(inTheWay).findFirst().orElseThrow()
                + rate.per().toMillis();
    }

    /** @param what has an identity of its own: it starts once */
    void add(Object what, long atMillis) {
        latest = notBeforeTheLatest(atMillis);
        starts.put(what, latest);
    }

    /** Claims are made a little ahead, in any order. */
    private long notBeforeTheLatest(long atMillis) {
        return starts.isEmpty() ? atMillis : Math.max(atMillis, latest);
    }

    /** It starts now; that may be later than it was added for, and it counts from now on. */
    void started(Object what, long nowMillis) {
        Long expected = starts.get(what);
        if (expected == null || expected < nowMillis) {
            starts.remove(what);
            add(what, nowMillis);
        }
    }

    /** It was added, and does not start after all. */
    void takeBack(Object what) {
        starts.remove(what);
    }

    /** Another master's starts, in any order. */
    void learn(Collection<Long> others) {
        others.forEach(start -> starts.put(new Object(), start));
        List<Map.Entry<Object, Long>> all = new ArrayList<>(starts.entrySet());
        all.sort(Map.Entry.comparingByValue());
        starts.clear();
        all.forEach(start -> starts.put(start.getKey(), start.getValue()));
        latest = all.isEmpty() ? latest : all.get(all.size() - 1).getValue();
    }
}
