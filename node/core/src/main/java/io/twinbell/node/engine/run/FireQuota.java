package io.twinbell.node.engine.run;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;

/**
 * How many executions of each app may start in a minute. Starts are counted by the second, so an app with many starts
 * needs no more memory than one with few. Times in milliseconds. Not thread-safe.
 */
final class FireQuota {
    private static final int SECONDS = 60;
    private static final long SECOND = Duration.ofSeconds(1).toMillis();

    private final int max;
    private final Map<String, Starts> byApp = new HashMap<>();
    private long sweptSecond = Long.MIN_VALUE;

    /** @param max 0 for any number */
    FireQuota(int max) {
        this.max = max;
    }

    boolean isSet() {
        return max > 0;
    }

    /** How many more executions of the app may start at that time. */
    int room(String app, long atMillis) {
        Starts starts = isSet() ? byApp.get(app) : null;
        return starts == null ? unused() : Math.max(0, max - starts.until(second(atMillis)));
    }

    private int unused() {
        return isSet() ? max : Integer.MAX_VALUE;
    }

    /** When the app may start another execution; {@link Long#MIN_VALUE} if it may now. */
    long nextMillis(String app, long nowMillis) {
        return room(app, nowMillis) > 0 ? Long.MIN_VALUE : byApp.get(app).oldestLeaves() * SECOND;
    }

    /** Counts a start. */
    Start add(String app, long atMillis) {
        sweep(second(atMillis));
        return byApp.computeIfAbsent(app, none -> new Starts()).add(second(atMillis));
    }

    /** How many apps may start nothing now. */
    int full(long nowMillis) {
        return (int)
                byApp.keySet().stream().filter(app -> room(app, nowMillis) == 0).count();
    }

    /** Forgets all starts. */
    void clear() {
        byApp.clear();
    }

    /** Forgets the apps that have started nothing for a minute, once a minute. */
    private void sweep(long second) {
        if (second >= sweptSecond + SECONDS || sweptSecond == Long.MIN_VALUE) {
            sweptSecond = second;
            byApp.values().removeIf(starts -> starts.until(second) == 0);
        }
    }

    private static long second(long millis) {
        return Math.floorDiv(millis, SECOND);
    }

    /** A counted start. */
    interface Start {
        /** It does not happen. */
        void takeBack();
    }

    /** The starts of one app in the latest second and the sixty before it, which contain each period of a minute. */
    private static final class Starts {
        private final int[] bySecond = new int[SECONDS + 1];
        private long latest = Long.MIN_VALUE;
        private int total;

        /**
         * The starts that count at that second. Claims come in any order, so a second before the latest counts as it.
         */
        int until(long second) {
            for (long next = Math.max(latest, second - bySecond.length) + 1; next <= second; next++) {
                total -= bySecond[index(next)];
                bySecond[index(next)] = 0;
            }
            latest = Math.max(latest, second);
            return total;
        }

        Start add(long second) {
            until(second);
            long counted = latest;
            bySecond[index(counted)]++;
            total++;
            return () -> {
                if (counted > latest - bySecond.length) {
                    bySecond[index(counted)]--;
                    total--;
                }
            };
        }

        /** The second from which the oldest starts do not count. */
        long oldestLeaves() {
            long oldest = latest - SECONDS;
            while (oldest < latest && bySecond[index(oldest)] == 0) {
                oldest++;
            }
            return oldest + bySecond.length;
        }

        private int index(long second) {
            return (int) Math.floorMod(second, (long) bySecond.length);
        }
    }
}
