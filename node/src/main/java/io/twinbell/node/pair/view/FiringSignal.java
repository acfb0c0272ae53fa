package io.twinbell.node.pair.view;

import io.twinbell.ha.role.Role;
import io.twinbell.node.engine.Engine;
import io.twinbell.node.engine.FiringLag;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * Tells whether planned fires are started and recorded, from what this node knows without network access. Health,
 * metrics, JMX and {@code failoverReady} use it also while the database does not answer: ages grow by the monotonic
 * clock.
 */
public final class FiringSignal {
    /** Longer than a takeover that must wait for a ZooKeeper session of the default length to time out. */
    public static final Duration LONG = Duration.ofSeconds(15);

    /** Loops of the node without which planned fires are not started, recorded or taken over. */
    private static final Set<String> NEEDED = Set.of(
            "trigger",
            "claimer",
            "recorder",
            "settling",
            "heartbeat",
            "change-master-check",
            "pulse",
            "listener",
            "takeover");

    private static final long STALLED_FOR_LONG = Duration.ofSeconds(60).toNanos();

    /**
     * The master sends a heartbeat every 3 s and the standby reads it every 3 s. If the last one is older than this,
     * the next one is missing.
     */
    private static final long FRESH_MILLIS = Duration.ofSeconds(8).toMillis();

    private final NodeState state;
    private final Engine engine;

    FiringSignal(NodeState state, Engine engine) {
        this.state = state;
        this.engine = engine;
    }

    /**
     * The age of the oldest slot that is due and not started, or ended and not recorded, in milliseconds; 0 if there is
     * none.
     */
    long lagMillis() {
        long here = engine.lag().millis();
        return state.role() == Role.STANDBY || state.role() == Role.PROMOTING ? Math.max(here, unfiredMillis()) : here;
    }

    /**
     * The standby's estimate of the lag. A standby does not know what the master has claimed, and while heartbeats
     * arrive the master reports the lag itself. Once they stop, the soonest slot that this node has seen in the table
     * counts as not claimed.
     */
    private long unfiredMillis() {
        long age = state.heartbeatAgeMillis();
        long soonest = engine.soonestSeenMillis();
        if (age < FRESH_MILLIS || soonest == Long.MAX_VALUE || engine.isPaused()) {
            return 0;
        }
        return Math.max(0, Math.min(state.clock().nowMillis() - soonest, age));
    }

    /**
     * The age of the oldest run of this process that has ended and is not recorded, in milliseconds; 0 if there is
     * none.
     */
    long unrecordedMillis() {
        return engine.lag().unrecordedMillis();
    }

    /** Why planned fires have not been started or recorded for a long time; empty if they are. */
    List<String> obstacles() {
        List<String> reasons = new ArrayList<>();
        FiringLag lag = engine.lag();
        boolean isMaster = state.isMaster();
        long age = state.heartbeatAgeMillis();
        if (isLong(age) && isMaster) {
            reasons.add("no heartbeat could be recorded for " + seconds(age) + ": "
                    + (state.healthProbe().isReached()
                            ? "the database answers, but a write does not finish"
                            : state.healthProbe().summary()));
        } else if (isLong(age) && state.role() == Role.STANDBY) {
            reasons.add("the last heartbeat of the master is " + seconds(age) + " old");
        }
        if (isLong(lag.unrecordedStalledMillis())) {
            reasons.add("the end of an execution has been unrecorded for " + seconds(lag.unrecordedMillis()) + ","
                    + " and no other end has been recorded for " + seconds(lag.unrecordedStalledMillis()));
        }
        if (isLong(lag.stalledMillis())) {
            reasons.add("slots have been due for " + seconds(lag.stalledMillis()) + ", but none is claimed");
        }
        engine.loops().states().stream()
                .filter(loop -> NEEDED.contains(loop.name()) && loop.stalledNanos() > STALLED_FOR_LONG)
                .forEach(loop -> reasons.add("the " + loop.name() + " has made no progress for "
                        + seconds(loop.stalledNanos() / 1_000_000)
                        + (loop.lastError() == null ? "" : ": " + loop.lastError())));
        return reasons;
    }

    /**
     * Why this node fires nothing now; null if nothing prevents it. A master that has lost the database starts nothing
     * from that moment on.
     */
    String obstacle() {
        List<String> obstacles = obstacles();
        if (!obstacles.isEmpty()) {
            return String.join("; ", obstacles);
        }
        return state.isMaster() && !state.healthProbe().isReached()
                ? state.healthProbe().summary()
                : null;
    }

    private static boolean isLong(long millis) {
        return millis > LONG.toMillis();
    }

    private static String seconds(long millis) {
        return millis / 1000 + " s";
    }
}
