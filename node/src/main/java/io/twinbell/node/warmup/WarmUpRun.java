package io.twinbell.node.warmup;

import com.codahale.metrics.MetricRegistry;
import io.twinbell.ha.role.Predecessor;
import io.twinbell.node.engine.Engine;
import io.twinbell.node.engine.EngineBounds;
import io.twinbell.node.engine.EngineListener;
import io.twinbell.node.engine.handler.HandlerRunner;
import io.twinbell.node.engine.step.EngineClocks;
import io.twinbell.node.engine.trigger.SystemTasks;
import io.twinbell.node.metrics.NodeMetrics;
import io.twinbell.persistence.clock.Ticker;
import io.twinbell.persistence.epoch.Epoch;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Warms up the JIT compiler before this node becomes master. A second engine, of the same code, claims, runs and
 * records some ten thousand slots in in-memory tables, so that the first slots after a promotion are as punctual as the
 * rest.
 *
 * <p>It writes nothing to the database and calls no server except this node's own API. It runs once in a process, for
 * five seconds at most without its waits, and waits while clients use this node, because both need the same processors.
 */
public final class WarmUpRun implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(WarmUpRun.class);
    private static final Duration AT_MOST = Duration.ofSeconds(5);
    /** The time after which the run ends, waits included: real work has compiled the same code by then. */
    private static final Duration ENDS_AFTER = Duration.ofMinutes(1);
    /** When the run begins, unless this node is master: a node that is not master by then is standby and has time. */
    private static final Duration PLACE_IS_KNOWN_AFTER = Duration.ofSeconds(2);

    private static final long LOOK_AGAIN_NANOS = Duration.ofMillis(20).toNanos();
    private static final long MAX_WAIT_NANOS = Duration.ofHours(1).toNanos();
    private static final int WORKERS = 2;
    /** Little more than the number of claims made ahead, so that the run soon waits when clients arrive. */
    private static final int IN_FLIGHT = 500;

    /**
     * Whether the run was made in this process. It serves every node of the process, because they share the compiled
     * code.
     */
    private static final AtomicBoolean PLAYED = new AtomicBoolean();

    private final EngineClocks clocks;
    private final HandlerRunner handlers;
    private final Supplier<String> node;
    private final BooleanSupplier isMaster;
    private final ApiActivity apiActivity;
    private final AtomicBoolean isPlayed;
    private WarmUpTables tables;
    private Epoch epoch;
    private Engine engine;
    private boolean isLookedAt;
    private long firstLookNanos;
    private long latestLookNanos;
    private long playedNanos;

    /**
     * @param node supplies the address of this node's API, {@code http://host:port}; empty if it has none
     * @param isMaster whether this node is master; a node that is still about to become master needs the processors for
     *     other work
     * @param isAsked whether a client is waiting for an answer of this node now
     */
    public WarmUpRun(
            EngineClocks clocks,
            HandlerRunner handlers,
            Supplier<String> node,
            BooleanSupplier isMaster,
            BooleanSupplier isAsked) {
        this(clocks, handlers, node, isMaster, isAsked, PLAYED);
    }

    WarmUpRun(
            EngineClocks clocks,
            HandlerRunner handlers,
            Supplier<String> node,
            BooleanSupplier isMaster,
            BooleanSupplier isAsked,
            AtomicBoolean isPlayed) {
        this.isMaster = isMaster;
        apiActivity = new ApiActivity(isAsked, clocks.monotonic());
        this.isPlayed = isPlayed;
        this.clocks = clocks;
        this.handlers = handlers;
        this.node = node;
    }

    /**
     * Starts the run, checks whether it is over, or ends it; returns how long to sleep until the next call, in
     * nanoseconds.
     */
    public synchronized long step() {
        look();
        if (engine != null && (tables.isEmpty() || isLate())) {
            LOG.debug("warmed up with {} outcomes in {} ms", tables.outcomes(), playedNanos / 1_000_000);
            close();
        } else if (engine == null && !isPlayed.get() && (!isPlaceKnown() || apiActivity.isThere())) {
            return LOOK_AGAIN_NANOS;
        } else if (engine == null && isPlayed.compareAndSet(false, true)) {
            begin();
        }
        return engine == null ? MAX_WAIT_NANOS : LOOK_AGAIN_NANOS;
    }

    private void look() {
        long now = clocks.monotonic().nanos();
        if (!isLookedAt) {
            isLookedAt = true;
            firstLookNanos = now;
        } else if (engine != null && !apiActivity.isThere()) {
            playedNanos += now - latestLookNanos;
        }
        latestLookNanos = now;
    }

    private boolean isPlaceKnown() {
        return isMaster.getAsBoolean() || latestLookNanos - firstLookNanos >= PLACE_IS_KNOWN_AFTER.toNanos();
    }

    private void begin() {
        tables = new WarmUpTables(clocks.database(), node.get(), apiActivity);
        engine = new Engine(
                tables.ports(),
                new EngineBounds(WORKERS, IN_FLIGHT, Duration.ofDays(1)),
                clocks,
                handlers,
                new NodeMetrics(new MetricRegistry()),
                EngineListener.NONE);
        engine.start(SystemTasks.Work.settling(engine::settle));
        epoch = tables.openEpoch();
        engine.take(epoch, Predecessor.over(0));
    }

    /** Ends the run, finished or not. */
    @Override
    public synchronized void close() {
        if (engine != null) {
            tables.close();
            engine.stopClaiming(epoch);
            engine.interrupt(epoch);
            engine.close();
            engine = null;
            tables = null;
            epoch = null;
        }
    }

    private boolean isLate() {
        return playedNanos > AT_MOST.toNanos() || latestLookNanos - firstLookNanos > ENDS_AFTER.toNanos();
    }

    /**
     * Tells whether clients are using this node now. A client that has just made a request is likely to make the next
     * one, because a program that stores its tasks does so in many calls. Any thread.
     */
    static final class ApiActivity {
        /**
         * The time without requests after which clients count as gone: several times as long as a program needs for its
         * next request.
         */
        static final Duration GONE_AFTER = Duration.ofMillis(500);

        private final BooleanSupplier isAsked;
        private final Ticker ticker;
        private boolean wasThere;
        private long latestNanos;

        /** @param isAsked whether a client is waiting for an answer of this node at this moment */
        ApiActivity(BooleanSupplier isAsked, Ticker ticker) {
            this.isAsked = isAsked;
            this.ticker = ticker;
        }

        /** Must be called often, because a request that begins and ends between two calls is not seen. */
        synchronized boolean isThere() {
            long now = ticker.nanos();
            if (isAsked.getAsBoolean()) {
                wasThere = true;
                latestNanos = now;
            }
            return wasThere && now - latestNanos < GONE_AFTER.toNanos();
        }
    }
}
