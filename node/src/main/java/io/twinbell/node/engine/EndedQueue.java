package io.twinbell.node.engine;

import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.Stream;

/**
 * What waits to be recorded: many threads add, one takes. Workers on different processors, whose runs end at once, would
 * write each other's line at the end of one queue; so there are several, and a thread always adds to the same. What
 * different threads added comes in any order, and turn about.
 */
final class EndedQueue {
    /** As many as there are workers usually; a power of two. */
    private static final int LANES = 16;

    private final List<ConcurrentLinkedQueue<Ended>> lanes =
            Stream.generate(ConcurrentLinkedQueue<Ended>::new).limit(LANES).toList();
    private int next;

    /** Any thread. */
    void add(Ended ended) {
        lane(Thread.currentThread().getId()).add(ended);
    }

    /** Null if there is none. */
    Ended poll() {
        for (int tried = 0; tried < LANES; tried++) {
            Ended ended = lane(next++).poll();
            if (ended != null) {
                return ended;
            }
        }
        return null;
    }

    private ConcurrentLinkedQueue<Ended> lane(long number) {
        return lanes.get((int) (number & (LANES - 1)));
    }
}
