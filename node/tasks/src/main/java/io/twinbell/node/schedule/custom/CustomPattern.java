package io.twinbell.node.schedule.custom;

import io.twinbell.node.schedule.local.LocalPattern;
import io.twinbell.persistence.clock.Ticker;
import io.twinbell.schedule.LocalSchedule;
import java.time.Duration;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.Arrays;
import java.util.concurrent.Callable;

/**
 * The local times of a custom schedule. Each answer of its code is checked. A caller that asks for consecutive times
 * gets most of them from a cache, which one call fills with up to {@value #CHUNK} times.
 */
final class CustomPattern implements LocalPattern {
    private static final int CHUNK = 64;
    private static final long CHUNK_NANOS = Duration.ofMillis(10).toNanos();

    private final LocalSchedule schedule;
    private final BoundedCalls calls;
    private final Ticker ticker;
    private volatile Chunk known = new Chunk(0, new long[0]);

    /**
     * Consecutive times.
     *
     * @param from no time of the schedule lies between this one and the first of the chunk
     */
    private record Chunk(long from, long[] times) {
        boolean covers(long local) {
            return times.length > 0 && from <= local && local <= last();
        }

        long last() {
            return times[times.length - 1];
        }

        long atOrAfter(long local) {
            int found = Arrays.binarySearch(times, local);
            return times[found >= 0 ? found : -found - 1];
        }

        /** Whether a search from here continues these times. */
        boolean isContinuedBy(long local) {
            return times.length > 0 && last() != NONE_AFTER && local == last() + 1;
        }
    }

    CustomPattern(LocalSchedule schedule, BoundedCalls calls, Ticker ticker) {
        this.schedule = schedule;
        this.calls = calls;
        this.ticker = ticker;
    }

    @Override
    public long atOrAfter(long local) {
        if (local >= END) {
            return NONE_AFTER;
        }
        long from = Math.max(local, 0);
        Chunk chunk = known;
        if (!chunk.covers(from)) {
            int wanted = chunk.isContinuedBy(from) ? Math.min(CHUNK, 4 * chunk.times().length) : 1;
            chunk = new Chunk(from, call("next", () -> times(from, wanted)));
            known = chunk;
        }
        return chunk.atOrAfter(from);
    }

    @Override
    public long atOrBefore(long local) {
        if (local < 0) {
            return NONE_BEFORE;
        }
        return call("previous", () -> previous(Math.min(local, END - 1)));
    }

    /** Only the type's {@code parse} may refuse anything: an exception of this kind is a failure here. */
    private <T> T call(String method, Callable<T> call) {
        try {
            return calls.call(method, call);
        } catch (IllegalArgumentException e) {
            throw calls.failure(method + " threw " + e);
        }
    }

    private long[] times(long from, int most) {
        long[] times = new long[most];
        long began = ticker.nanos();
        int count = 0;
        long after = from - 1;
        while (count < most && after != NONE_AFTER && (count == 0 || ticker.nanos() - began < CHUNK_NANOS)) {
            after = next(after);
            times[count++] = after;
        }
        return Arrays.copyOf(times, count);
    }

    private long next(long after) {
        LocalDateTime given = time(after);
        LocalDateTime next = schedule.next(given);
        if (next == null) {
            return NONE_AFTER;
        }
        if (!next.isAfter(given) || next.getNano() != 0) {
            throw calls.failure("next of " + given + " is " + next + ", which is not a later time in whole seconds");
        }
        long seconds = next.toEpochSecond(ZoneOffset.UTC);
        return seconds >= END ? NONE_AFTER : seconds;
    }

    private long previous(long local) {
        LocalDateTime given = time(local + 1);
        LocalDateTime previous = schedule.previous(given);
        if (previous == null) {
            return NONE_BEFORE;
        }
        if (!previous.isBefore(given) || previous.getNano() != 0) {
            throw calls.failure(
                    "previous of " + given + " is " + previous + ", which is not an earlier time in whole seconds");
        }
        long seconds = previous.toEpochSecond(ZoneOffset.UTC);
        return seconds < 0 ? NONE_BEFORE : seconds;
    }

    private static LocalDateTime time(long seconds) {
        return LocalDateTime.ofEpochSecond(seconds, 0, ZoneOffset.UTC);
    }
}
