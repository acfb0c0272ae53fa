package io.twinbell.node.upkeep;

import io.twinbell.node.audit.store.AuditEntry;
import io.twinbell.node.audit.store.AuditSeals;
import io.twinbell.node.loop.Duty;
import io.twinbell.node.loop.Loops;
import io.twinbell.persistence.clock.DatabaseClock;
import io.twinbell.persistence.clock.Ticker;
import io.twinbell.persistence.epoch.Epoch;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.Marker;
import org.slf4j.MarkerFactory;

/**
 * Seals entries of the audit while this node is master, writes them to the log with the marker {@code AUDIT}, creates
 * days in advance and drops old ones. A session that reads the audit for long blocks days, but must not block seals: so
 * each of the three has its own loop status and its own pause after a failure.
 */
public final class AuditUpkeep {
    /** The marker of log lines that repeat the audit, for programs that collect logs. */
    public static final Marker AUDIT = MarkerFactory.getMarker("AUDIT");

    private static final Logger LOG = LoggerFactory.getLogger(AuditUpkeep.class);
    static final int BATCH = 500;
    /** The maximum number of entries of a seal that are logged one by one. */
    static final int MOST_LOGGED = 50;

    private static final Duration AS_STANDBY = Duration.ofSeconds(3);
    private static final Duration BETWEEN_BATCHES = Duration.ofMillis(20);
    private static final Duration BETWEEN_LOOKS = Duration.ofSeconds(1);
    private static final Duration BETWEEN_TRIES = Duration.ofSeconds(10);

    private final AuditSeals seals;
    private final int keepDays;
    private final boolean isLogged;
    private final DatabaseClock clock;
    private final Supplier<Epoch> epoch;
    private final Duty creating;
    private final Duty dropping;
    private final Duty sealing;
    private Epoch of;
    private long day;
    private boolean hasPartitions;
    private boolean hasDropped;
    private boolean isFull;

    /**
     * @param keepDays how many days of entries are kept
     * @param isLogged whether the log repeats entries and seals
     * @param epoch the epoch under which this node is master, or null
     */
    public AuditUpkeep(
            AuditSeals seals,
            int keepDays,
            boolean isLogged,
            DatabaseClock clock,
            Ticker ticker,
            Supplier<Epoch> epoch,
            Loops loops) {
        this.seals = seals;
        this.keepDays = keepDays;
        this.isLogged = isLogged;
        this.clock = clock;
        this.epoch = epoch;
        creating = new Duty(loops.loop("audit-partitions"), ticker, BETWEEN_TRIES);
        dropping = new Duty(loops.loop("audit-days"), ticker, BETWEEN_TRIES);
        sealing = new Duty(loops.loop("audit-seals"), ticker, BETWEEN_TRIES);
    }

    /** Does one bounded piece of work; returns how long to rest, in nanoseconds. */
    public long step() {
        Epoch current = epoch.get();
        if (current == null) {
            of = null;
            creating.rest();
            dropping.rest();
            sealing.rest();
            return AS_STANDBY.toNanos();
        }
        beginIfNew(current);
        return step(current).toNanos();
    }

    private Duration step(Epoch current) {
        if (!hasPartitions && creating.pauseNanos() == 0) {
            hasPartitions = creating.run(() -> seals.makePartitions(current));
            return BETWEEN_BATCHES;
        }
        if (!hasDropped && dropping.pauseNanos() == 0) {
            dropping.run(() -> hasDropped = dropOldest(current));
            return BETWEEN_BATCHES;
        }
        isFull = false;
        boolean isDone = sealing.run(() -> isFull = seal(current));
        return isFull ? BETWEEN_BATCHES : isDone ? BETWEEN_LOOKS : Duration.ofNanos(sealing.pauseNanos());
    }

    /** Returns whether no day is left to drop. */
    private boolean dropOldest(Epoch current) {
        Optional<String> dropped = seals.dropDay(current, keepDays);
        dropped.ifPresent(partition -> LOG.info("dropped audit partition {}: older than {} days", partition, keepDays));
        return dropped.isEmpty();
    }

    /** Returns whether there may be more to seal. */
    private boolean seal(Epoch current) {
        Optional<AuditSeals.Seal> seal = seals.seal(current, BATCH);
        if (isLogged) {
            seal.ifPresent(AuditUpkeep::log);
        }
        return seal.map(one -> one.entries().size() == BATCH).orElse(false);
    }

    private void beginIfNew(Epoch current) {
        long today = Math.floorDiv(clock.nowMillis(), Duration.ofDays(1).toMillis());
        if (!current.equals(of) || today != day) {
            of = current;
            day = today;
            hasPartitions = false;
            hasDropped = false;
        }
    }

    /** The values before and after are in the table only, and so are entries that come in floods. */
    private static void log(AuditSeals.Seal seal) {
        List<AuditEntry> single = seal.entries().stream()
                .filter(entry -> !entry.isAboutNewOneShots())
                .toList();
        single.stream().limit(MOST_LOGGED).forEach(AuditUpkeep::log);
        int others = seal.entries().size() - Math.min(single.size(), MOST_LOGGED);
        if (others > 0) {
            LOG.info(AUDIT, "audit: {} more entries of this seal are in the table only", others);
        }
        LOG.info(AUDIT, "audit seal {}:{}", seal.number(), seal.chain());
    }

    private static void log(AuditEntry entry) {
        LOG.info(
                AUDIT,
                "audit {}: {} ({} {}) {} {} {} x{} {}",
                entry.id(),
                entry.author().name(),
                entry.author().channel(),
                entry.author().address(),
                entry.act(),
                entry.target().kind(),
                object(entry.target()),
                entry.items(),
                entry.outcome());
    }

    private static String object(AuditEntry.Target target) {
        String named = target.name() == null ? "" : " " + target.app() + "/" + target.name();
        return (target.object() == null ? "-" : target.object()) + named;
    }
}
