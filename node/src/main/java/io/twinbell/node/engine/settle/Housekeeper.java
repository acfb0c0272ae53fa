package io.twinbell.node.engine.settle;

import io.twinbell.node.loop.Loop;
import io.twinbell.persistence.clock.DatabaseClock;
import io.twinbell.persistence.clock.Ticker;
import io.twinbell.persistence.database.DatabaseUnavailableException;
import io.twinbell.persistence.epoch.Epoch;
import io.twinbell.persistence.ledger.Slot;
import io.twinbell.persistence.ledger.upkeep.LedgerUpkeep;
import io.twinbell.persistence.ledger.upkeep.RetentionClass;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Maintains the ledger while this node is master: creates partitions in advance, drops old days, deletes outcomes with
 * shorter retention, and removes tasks that finished long ago. It works in small steps on its own connection, so
 * nothing that fires waits for it.
 */
public final class Housekeeper {
    private static final Logger LOG = LoggerFactory.getLogger(Housekeeper.class);
    static final int BATCH = 1000;
    /** The same as for every bulk edit. */
    static final int TASKS = 500;

    private static final Duration AS_STANDBY = Duration.ofSeconds(3);
    private static final Duration BETWEEN_BATCHES = Duration.ofMillis(100);
    private static final Duration BETWEEN_LOOKS = Duration.ofSeconds(1);
    private static final Duration BETWEEN_ROUNDS = Duration.ofMinutes(1);
    /**
     * Retries are rare, so that they do not disturb long reads of the ledger. There is time, because partitions exist
     * for a week ahead.
     */
    private static final Duration BETWEEN_TRIES = Duration.ofSeconds(10);

    private final LedgerUpkeep upkeep;
    private final RetentionTimes retentionTimes;
    private final DatabaseClock clock;
    private final Ticker ticker;
    private final Supplier<Epoch> epoch;
    private final Loop loop;
    private final List<Deletion> deletions = new ArrayList<>();
    private Epoch of;
    private long day;
    private boolean hasPartitions;
    private boolean hasDropped;
    private boolean hasRemoved;
    private long roundNanos;

    /**
     * How long ledger rows and tasks are kept.
     *
     * @param days the longest retention of a ledger row
     * @param outcomes retention classes that are kept for less
     * @param finishedTasks how long a task is kept after it was FINISHED
     */
    public record RetentionTimes(Duration days, Map<RetentionClass, Duration> outcomes, Duration finishedTasks) {
        /** Rounded up: a slot that may still be claimed must find its day's partition. */
        int wholeDays() {
            return Math.toIntExact(Math.max(1, days.plusDays(1).minusNanos(1).toDays()));
        }
    }

    /** The progress of deleting one retention class. */
    private static final class Deletion {
        private final RetentionClass retentionClass;
        private final Duration retention;
        private Slot last;
        private boolean isDone;

        Deletion(RetentionClass retentionClass, Duration retention) {
            this.retentionClass = retentionClass;
            this.retention = retention;
        }
    }

    /** @param epoch the epoch under which this node is master, or null */
    public Housekeeper(
            LedgerUpkeep upkeep,
            RetentionTimes retentionTimes,
            DatabaseClock clock,
            Ticker ticker,
            Supplier<Epoch> epoch,
            Loop loop) {
        this.upkeep = upkeep;
        this.retentionTimes = retentionTimes;
        this.clock = clock;
        this.ticker = ticker;
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
            upkeep.makePartitions(current);
            hasPartitions = true;
        } else if (!hasDropped) {
            for (String partition : upkeep.dropDays(current, retentionTimes.wholeDays())) {
                LOG.info("dropped ledger partition {}: older than {} days", partition, retentionTimes.wholeDays());
            }
            hasDropped = !upkeep.deleteScattered(current, retentionTimes.wholeDays(), BATCH);
        } else {
            return delete(current);
        }
        return BETWEEN_BATCHES;
    }

    /** All work starts again with every epoch and every day. So it also finds executions that ended late. */
    private void beginIfNew(Epoch current) {
        long today = Math.floorDiv(clock.nowMillis(), Duration.ofDays(1).toMillis());
        if (!current.equals(of) || today != day) {
            of = current;
            day = today;
            hasPartitions = false;
            hasDropped = false;
            hasRemoved = false;
            deletions.clear();
            retentionTimes.outcomes().forEach((retentionClass, retention) -> {
                if (retention.compareTo(retentionTimes.days()) < 0) {
                    deletions.add(new Deletion(retentionClass, retention));
                }
            });
        }
    }

    private Duration delete(Epoch current) {
        for (Deletion deletion : deletions) {
            if (!deletion.isDone) {
                delete(current, deletion);
                return BETWEEN_BATCHES;
            }
        }
        if (!hasRemoved) {
            hasRemoved = upkeep.removeFinished(
                            current, retentionTimes.finishedTasks().toMillis(), TASKS)
                    < TASKS;
            return BETWEEN_BATCHES;
        }
        if (ticker.nanos() - roundNanos < BETWEEN_ROUNDS.toNanos()) {
            return BETWEEN_LOOKS;
        }
        roundNanos = ticker.nanos();
        hasRemoved = false;
        deletions.forEach(deletion -> deletion.isDone = false);
        return BETWEEN_BATCHES;
    }

    private void delete(Epoch current, Deletion deletion) {
        long before = clock.nowMillis() - deletion.retention.toMillis();
        LedgerUpkeep.DeletedRows deleted =
                upkeep.delete(current, deletion.retentionClass, before, deletion.last, BATCH);
        deletion.isDone = deleted.last() == null;
        if (!deletion.isDone) {
            deletion.last = deleted.last();
        }
    }
}
