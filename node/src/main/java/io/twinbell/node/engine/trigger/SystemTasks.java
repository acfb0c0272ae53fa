package io.twinbell.node.engine.trigger;

import io.twinbell.node.engine.run.AppGroup;
import io.twinbell.node.engine.run.Urgency;
import io.twinbell.node.loop.Loop;
import io.twinbell.node.loop.Loops;
import io.twinbell.persistence.database.DatabaseClock;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

/**
 * The node's own tasks. They go through the same heap, trigger and worker pool as user tasks, so a node that can fire can
 * also beat; they have negative ids, a worker of their own, and go first.
 */
public final class SystemTasks {
    public static final long INIT = -1;
    public static final long HEARTBEAT = -2;
    public static final long CHANGE_MASTER_CHECK = -3;
    public static final long SETTLE = -4;
    public static final long LOWEST_ID = SETTLE;
    /** A longer delay is cut to this. */
    static final Duration LONGEST_DELAY = Duration.ofSeconds(3);

    private static final Duration AFTER_FAILURE = Duration.ofMillis(500);

    private final ActionQueue actions;
    private final DatabaseClock clock;
    private final Loops loops;
    private final Map<Long, Supplier<Duration>> tasks = new HashMap<>();
    private final Set<Long> wanted = ConcurrentHashMap.newKeySet();

    public SystemTasks(ActionQueue actions, DatabaseClock clock, Loops loops) {
        this.actions = actions;
        this.clock = clock;
        this.loops = loops;
    }

    /**
     * Says what a system task does. Before the trigger starts.
     *
     * @param task returns after how long it wants to run again; null for not until {@link #soon} is called
     */
    public void define(long id, Supplier<Duration> task) {
        tasks.put(id, task);
    }

    /** Has the task run as soon as possible, once more if it is running now. May be called on any thread. */
    public synchronized void soon(long id) {
        wanted.add(id);
        actions.add(HeapAction.Put.one(id, clock.nowMillis(), Urgency.HIGHEST, AppGroup.UNKNOWN));
    }

    /** Whether somebody wants it to run, besides what it does now. Any thread. */
    public boolean isWanted(long id) {
        return wanted.contains(id);
    }

    /** Has the task run after the delay, and after {@link #LONGEST_DELAY} at the latest. */
    public void after(long id, Duration delay) {
        long millis = Math.min(delay.toMillis(), LONGEST_DELAY.toMillis());
        actions.add(HeapAction.Put.one(id, clock.nowMillis() + millis, Urgency.HIGHEST, AppGroup.UNKNOWN));
    }

    /** Has the task not run. */
    public void cancel(long id) {
        wanted.remove(id);
        actions.add(new HeapAction.Remove(id));
        loop(id).rest();
    }

    /** Whoever does a part of this system task tells it what failed. */
    public Loop loop(long id) {
        return loops.loop(name(id));
    }

    /** Runs it; on the system worker. */
    public void run(long id) {
        wanted.remove(id);
        Duration next;
        Loop loop = loop(id);
        loop.begin();
        try {
            next = tasks.get(id).get();
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

    /** In one piece with {@link #soon}: a wish that comes between the look and the put would be put off by the delay. */
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
