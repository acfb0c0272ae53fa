package io.twinbell.node.engine;

import io.twinbell.persistence.limit.RunLimit;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.stream.Stream;

/** The latest starts under a rate limit: any stretch of its length has at most so many. Instants in milliseconds. */
final class RateWindow {
    private final RunLimit.Rate rate;
    /** In order of time; those that have left the window may still be there. */
    private final ArrayDeque<Long> starts = new ArrayDeque<>();

    RateWindow(RunLimit.Rate rate) {
        this.rate = rate;
    }

    /** The same starts under another limit. */
    RateWindow with(RunLimit.Rate other) {
        RateWindow changed = new RateWindow(other);
        changed.starts.addAll(starts);
        return changed;
    }

    RunLimit.Rate rate() {
        return rate;
    }

    /** How many more may start at that instant. */
    int room(long atMillis) {
        long at = notBeforeTheLatest(atMillis);
        while (!starts.isEmpty() && starts.peekFirst() + rate.per().toMillis() <= at) {
            starts.removeFirst();
        }
        return Math.max(0, rate.max() - starts.size());
    }

    /** When there will be room, if nothing else starts; {@link Long#MIN_VALUE} if there is. */
    long nextMillis(long nowMillis) {
        if (room(nowMillis) > 0) {
            return Long.MIN_VALUE;
        }
        int inTheWay = starts.size() - rate.max();
        return starts.stream().skip(inTheWay).findFirst().orElseThrow()
                + rate.per().toMillis();
    }

    void add(long atMillis) {
        starts.addLast(notBeforeTheLatest(atMillis));
    }

    /** Claims are made a little ahead, in any order. */
    private long notBeforeTheLatest(long atMillis) {
        return starts.isEmpty() ? atMillis : Math.max(atMillis, starts.peekLast());
    }

    /** One of those that were added did not start after all. */
    void takeBack() {
        starts.pollLast();
    }

    /** Another master's starts, in any order. */
    void learn(Collection<Long> others) {
        long[] all = Stream.concat(starts.stream(), others.stream())
                .mapToLong(start -> start)
                .sorted()
                .toArray();
        starts.clear();
        for (long start : all) {
            starts.addLast(start);
        }
    }
}
