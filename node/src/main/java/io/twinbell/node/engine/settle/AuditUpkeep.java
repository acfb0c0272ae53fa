package io.twinbell.node.engine.settle;

import io.twinbell.node.loop.Loop;
import io.twinbell.persistence.audit.AuditEntry;
import io.twinbell.persistence.audit.AuditSeals;
import io.twinbell.persistence.clock.DatabaseClock;
import io.twinbell.persistence.database.DatabaseUnavailableException;
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
 * days in advance and drops old ones.
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
    private final DatabaseClock clock;
    private final Supplier<Epoch> epoch;
    private final Loop loop;
    private Epoch of;
    private long day;
    private boolean hasPartitions;
    private boolean hasDropped;

    /** @param epoch the epoch under which this node is master, or null */
    public AuditUpkeep(AuditSeals seals, Duration retention, DatabaseClock clock, Supplier<Epoch> epoch, Loop loop) {
        this.seals = seals;
        keepDays = Math.toIntExact(Math.max(1, retention.toDays()));
        this.clock = clock;
        this.epoch = epoch;
        this.loop = loop;
    }

    /** Does one bounded piece of work; returns how long to rest, in nanoseconds. */
    public long step() {
        Epoch current = epoch.get();
        if (current == null) {
            of = null;
            return AS_STANDBY.toNanos();
        }
        try {
            return step(current).toNanos();
        } catch (DatabaseUnavailableException e) {
            loop.failed(e);
            return BETWEEN_TRIES.toNanos();
        }
    }

    private Duration step(Epoch current) {
        beginIfNew(current);
        if (!hasPartitions) {
            seals.makePartitions(current);
            hasPartitions = true;
            return BETWEEN_BATCHES;
        }
        if (!hasDropped) {
            Optional<String> dropped = seals.dropDay(current, keepDays);
            dropped.ifPresent(
                    partition -> LOG.info("dropped audit partition {}: older than {} days", partition, keepDays));
            hasDropped = dropped.isEmpty();
            return BETWEEN_BATCHES;
        }
        Optional<AuditSeals.Seal> seal = seals.seal(current, BATCH);
        seal.ifPresent(AuditUpkeep::log);
        boolean isFull = seal.map(one -> one.entries().size() == BATCH).orElse(false);
        return isFull ? BETWEEN_BATCHES : BETWEEN_LOOKS;
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
