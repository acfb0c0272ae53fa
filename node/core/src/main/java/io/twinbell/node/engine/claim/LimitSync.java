package io.twinbell.node.engine.claim;

import io.twinbell.node.engine.run.Limits;
import io.twinbell.node.engine.run.RunRegistry;
import io.twinbell.node.engine.step.EngineEvent;
import io.twinbell.node.loop.Loop;
import io.twinbell.node.loop.Signals;
import io.twinbell.persistence.clock.DatabaseClock;
import io.twinbell.persistence.database.DatabaseUnavailableException;
import io.twinbell.persistence.epoch.Epoch;
import io.twinbell.persistence.ledger.Slot;
import io.twinbell.persistence.limit.LimitSource;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Reads from the database the limits, and the runs of other masters that count against them, into {@link Limits}.
 * Claimer's thread, except where noted.
 */
public final class LimitSync {
    /** How often runs of another master are counted while there are any: slots may wait for their end. */
    private static final long ELSEWHERE_MILLIS = Duration.ofMillis(100).toMillis();

    private static final long IDLE_NANOS = Duration.ofSeconds(1).toNanos();

    private final LimitSource source;
    private final Limits limits;
    private final RunRegistry registry;
    private final DatabaseClock clock;
    private final Loop learning;
    private final Signals<EngineEvent> signals;
    private volatile boolean isOutdated;
    private long elsewhereMillis;

    public LimitSync(
            LimitSource source,
            RunRegistry registry,
            DatabaseClock clock,
            Loop learning,
            Signals<EngineEvent> signals) {
        this.source = source;
        this.registry = registry;
        this.clock = clock;
        this.learning = learning;
        this.signals = signals;
        limits = registry.limits();
    }

    /** Notes that limits were set or removed. Any thread. */
    public void changed() {
        isOutdated = true;
    }

    /** Reads limits before anything is claimed under the epoch. */
    public void begin(Epoch epoch) {
        isOutdated = false;
        set();
        limits.begin(clock.nowMillis());
        readOtherEpochs(epoch);
        signals.raise(EngineEvent.LIMIT_HISTORY_WANTED);
    }

    /** Reads what has changed since. */
    public void step(Epoch epoch) {
        if (isOutdated) {
            isOutdated = false;
            readAgain();
        }
        if (limits.isAnyElsewhere() && clock.nowMillis() - elsewhereMillis >= ELSEWHERE_MILLIS) {
            readOtherEpochs(epoch);
        }
    }

    private void readAgain() {
        try {
            set();
        } catch (RuntimeException e) {
            isOutdated = true;
            throw e;
        }
    }

    private void set() {
        limits.set(source.limits(), this::running);
    }

    private Map<Slot, List<String>> running() {
        Map<Slot, List<String>> running = new HashMap<>();
        registry.all().forEach(run -> running.put(run.slot(), run.limitKeys()));
        return running;
    }

    private void readOtherEpochs(Epoch epoch) {
        Set<String> keys = limits.keys();
        if (!keys.isEmpty()) {
            limits.setElsewhere(source.runningElsewhere(epoch, keys));
            elsewhereMillis = clock.nowMillis();
        }
    }

    /** When {@link #step} has something to do again, in milliseconds from now. */
    long sleepMillis() {
        return limits.isAnyElsewhere() ? ELSEWHERE_MILLIS : Long.MAX_VALUE;
    }

    /**
     * Reads which runs started before this epoch, where a rate limit needs them. This may take a while, so it has its
     * own thread.
     *
     * @return how long to sleep, in nanoseconds
     */
    public long readLimits() {
        Map<String, Duration> wanted = limits.historyWanted(clock.nowMillis());
        if (!wanted.isEmpty()) {
            Duration longest = wanted.values().stream().max(Duration::compareTo).orElseThrow();
            Set<String> keys = Set.copyOf(wanted.keySet());
            try {
                limits.addStarts(keys, source.startedWithin(longest, keys));
            } catch (DatabaseUnavailableException e) {
                learning.failed(e);
            }
            signals.raise(EngineEvent.LIMIT_HISTORY_READ);
        }
        return IDLE_NANOS;
    }
}
