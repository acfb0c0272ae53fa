package io.twinbell.node.pair;

import io.twinbell.ha.role.Role;
import io.twinbell.node.engine.Engine;
import io.twinbell.node.engine.FiringLag;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * Whether planned fires are started and recorded, as far as this node knows without asking anybody. Health, metrics, JMX
 * and {@code failoverReady} all go by it, and so it does not need a database: ages grow by the monotonic clock.
 */
final class FiringSignal {
    /** Longer than a takeover that has to wait for a ZooKeeper session of the default length to time out. */
    static final Duration LONG = Duration.ofSeconds(15);

    /** Without any of these parts of the node, planned fires are not started, recorded or taken over. */
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

    /** A heartbeat comes every 3 s and a standby looks at it every 3 s: an older one was not followed by another. */
    private static final long FRESH_MILLIS = Duration.ofSeconds(8).toMillis();

    private final NodeState state;
    private final Engine engine;

    FiringSignal(NodeState state, Engine engine) {
        this.state = state;
        this.engine = engine;
    }

    /** Age of the oldest slot that is due and not started, or ended and not recorded, in milliseconds; 0 for none. */
    long lagMillis() {
        long here = engine.lag().millis();
        return state.role() == Role.STANDBY || state.role() == Role.PROMOTING ? Math.max(here, unfiredMillis()) : here;
    }

    /**
     * A standby does not know what the master has claimed. While heartbeats come, that is the master's to tell. From the
     * last one on, nobody has claimed the soonest slot that this node has seen in the table.
     */
    private long unfiredMillis() {
        long age = state.heartbeatAgeMillis();
        long soonest = engine.soonestSeenMillis();
        if (age < FRESH_MILLIS || soonest == Long.MAX_VALUE || engine.isPaused()) {
            return 0;
        }
        return Math.max(0, Math.min(state.clock().nowMillis() - soonest, age));
    }

    /** Age of the oldest end of a run of this process that is not recorded, in milliseconds; 0 for none. */
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
            reasons.add("no heartbeat could be recorded for " + seconds(age) + ": the database "
                    + (state.pulse().isReached() ? "answers, but a write does not end" : "does not answer"));
        } else if (isLong(age) && state.role() == Role.STANDBY) {
            reasons.add("the last heartbeat of a master is " + seconds(age) + " old");
        }
        if (isLong(lag.unrecordedStalledMillis())) {
            reasons.add("the end of an execution has not been recorded for " + seconds(lag.unrecordedMillis())
                    + ", and no other has been for " + seconds(lag.unrecordedStalledMillis()));
        }
        if (isLong(lag.stalledMillis())) {
            reasons.add("slots have been due for " + seconds(lag.stalledMillis()) + " and none is claimed");
        }
        engine.loops().states().stream()
                .filter(loop -> NEEDED.contains(loop.name()) && loop.stalledNanos() > STALLED_FOR_LONG)
                .forEach(loop -> reasons.add("the " + loop.name() + " has made no progress for "
                        + seconds(loop.stalledNanos() / 1_000_000)
                        + (loop.lastError() == null ? "" : ": " + loop.lastError())));
        return reasons;
    }

    private static boolean isLong(long millis) {
        return millis > LONG.toMillis();
    }

    private static String seconds(long millis) {
        return millis / 1000 + " s";
    }
}
