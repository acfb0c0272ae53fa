package io.twinbell.node.engine.trigger;

import io.twinbell.node.engine.run.AppHash;
import io.twinbell.node.engine.run.Urgency;
import io.twinbell.node.loop.Loop;
import io.twinbell.node.loop.Loops;
import io.twinbell.persistence.clock.DatabaseClock;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

/**
 * The node's own tasks, such as the heartbeat. They use the same heap, trigger and worker pool as user tasks, so a node
 * that can fire can also send its heartbeat. They have negative ids and a worker of their own, and go first.
 */
public final class SystemTasks {
    public static final long INIT = -1;
    public static final long HEARTBEAT = -2;
    public static final long CHANGE_MASTER_CHECK = -3;
    public static final long SETTLE = -4;
    public static final long LOWEST_ID = SETTLE;
    /** Longer delays are cut to this. */
    static final Duration LONGEST_DELAY = Duration.ofSeconds(3);

    private static final Duration AFTER_FAILURE = Duration.ofMillis(500);

    private final ActionQueue actions;
    private final DatabaseClock clock;
    private final Loops loops;
    private final Set<Long> wanted = ConcurrentHashMap.newKeySet();

    /**
     * The work of each system task. It returns the delay until its next run, or null for none until {@link #soon} is
     * called.
     */
    public record Work(
            Supplier<Duration> init,
            Supplier<Duration> heartbeat,
            Supplier<Duration> changeMasterCheck,
            Supplier<Duration> settle) {
        /** The work of an engine without a role: it only settles. */
        public static Work settling(Supplier<Duration> settle) {
            return new Work(() -> null, () -> null, () -> null, settle);
        }

        private Supplier<Duration> of(long id) {
            return switch ((int) id) {
                case (int) INIT -> init;
                case (int) HEARTBEAT -> heartbeat;
                case (int) CHANGE_MASTER_CHECK -> changeMasterCheck;
                default -> settle;
            };
        }
    }

    public SystemTasks(ActionQueue actions, DatabaseClock clock, Loops loops) {
        this.actions = actions;
        this.clock = clock;
        this.loops = loops;
    }

    /** Runs the task as soon as possible, once more if it is running now. Any thread. */
    public synchronized void soon(long id) {
        wanted.add(id);
        actions.add(HeapAction.Put.one(id, clock.nowMillis(), Urgency.HIGHEST, AppHash.UNKNOWN));
    }

    /** Whether another run of the task was requested, besides the current one. Any thread. */
    public boolean isWanted(long id) {
        return wanted.contains(id);
    }

    /** Runs the task after the delay, and after {@link #LONGEST_DELAY} at the latest. */
    public void after(long id, Duration delay) {
        long millis = Math.min(delay.toMillis(), LONGEST_DELAY.toMillis());
        actions.add(HeapAction.Put.one(id, clock.nowMillis() + millis, Urgency.HIGHEST, AppHash.UNKNOWN));
    }

    /** Cancels the task's next run. */
    public void cancel(long id) {
        wanted.remove(id);
        actions.add(new HeapAction.Remove(id));
        loop(id).rest();
    }

    /** The loop of this system task. Code that does a part of the task reports its failures there. */
    public Loop loop(long id) {
        return loops.loop(name(id));
    }

    /** Runs the task. The system worker calls this. */
    public void run(long id, Work work) {
        wanted.remove(id);
        Duration next;
        Loop loop = loop(id);
        loop.begin();
        try {
            next = work.of(id).get();
        } catch (RuntimeException | Error e) {
            loop.failed(e);
            next = AFTER_FAILURE;
        } finally {
            loop.end();
        }
        if (next == null) {
            loop.rest();
        } else {
            afterUnlessWanted(id, next);
        }
    }

    /**
     * Synchronized with {@link #soon}: otherwise a request that arrives between the check and the put would be delayed.
     */
    private synchronized void afterUnlessWanted(long id, Duration delay) {
        if (!wanted.contains(id)) {
            after(id, delay);
        }
    }

    static String name(long id) {
        return switch ((int) id) {
            case (int) INIT -> "init";
            case (int) HEARTBEAT -> "heartbeat";
            case (int) CHANGE_MASTER_CHECK -> "change-master-check";
            default -> "settling";
        };
    }
}
