package io.twinbell.node.upkeep;

import io.twinbell.node.loop.Duty;
import io.twinbell.node.loop.Loops;
import io.twinbell.node.upkeep.store.LedgerUpkeep;
import io.twinbell.persistence.clock.DatabaseClock;
import io.twinbell.persistence.clock.Ticker;
import io.twinbell.persistence.epoch.Epoch;
import io.twinbell.persistence.ledger.Slot;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalLong;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Maintains the ledger while this node is master: creates partitions in advance, drops old days, deletes outcomes with
 * shorter retention, and removes tasks that finished long ago. It works in small steps on its own connection, so
 * nothing that fires waits for it. A session that reads the ledger for long blocks days, but must not block the rest: so
 * each duty has its own loop status and its own pause after a failure.
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
    private final Duty creating;
    private final Duty dropping;
    private final Duty scattered;
    private final Duty removing;
    private final Duty definitions;
    private final Loops loops;
    private final List<Deletion> deletions = new ArrayList<>();
    private Epoch of;
    private long day;
    private boolean hasPartitions;
    private boolean hasDropped;
    private boolean hasDeletedScattered;
    private boolean hasRemoved;
    /** The last definition that was examined; empty once the day's search has ended. */
    private OptionalLong definition = OptionalLong.empty();

    private boolean gaveWay;
    private long roundNanos;

    /**
     * How long ledger rows and tasks are kept.
     *
     * @param days the longest retention of a ledger row
     * @param outcomes retention classes that are kept for less
     * @param finishedTasks how long a task is kept after it was FINISHED
     */
    public record RetentionTimes(
            Duration days, Map<LedgerUpkeep.RetentionClass, Duration> outcomes, Duration finishedTasks) {
        /** Rounded up: a slot that may still be claimed must find its day's partition. */
        int wholeDays() {
            return Math.toIntExact(Math.max(1, days.plusDays(1).minusNanos(1).toDays()));
        }
    }

    /** The progress of deleting one retention class. */
    private static final class Deletion {
        private final LedgerUpkeep.RetentionClass retentionClass;
        private final Duration retention;
        private final Duty duty;
        private Slot last;
        private boolean isDone;

        Deletion(LedgerUpkeep.RetentionClass retentionClass, Duration retention, Duty duty) {
            this.retentionClass = retentionClass;
            this.retention = retention;
            this.duty = duty;
        }
    }

    /** @param epoch the epoch under which this node is master, or null */
    public Housekeeper(
            LedgerUpkeep upkeep,
            RetentionTimes retentionTimes,
            DatabaseClock clock,
            Ticker ticker,
            Supplier<Epoch> epoch,
            Loops loops) {
        this.upkeep = upkeep;
        this.retentionTimes = retentionTimes;
        this.clock = clock;
        this.ticker = ticker;
        this.epoch = epoch;
        this.loops = loops;
        creating = duty("ledger-partitions");
        dropping = duty("ledger-days");
        scattered = duty("ledger-scattered");
        removing = duty("finished-tasks");
        definitions = duty("unused-definitions");
        retentionTimes.outcomes().forEach((retentionClass, retention) -> {
            if (retention.compareTo(retentionTimes.days()) < 0) {
                deletions.add(new Deletion(
                        retentionClass,
                        retention,
                        duty("ledger-" + retentionClass.name().toLowerCase(Locale.ROOT))));
            }
        });
    }

    private Duty duty(String name) {
        return new Duty(loops.loop(name), ticker, BETWEEN_TRIES);
    }

    /** Does one bounded piece of work; returns how long to rest, in nanoseconds. */
    public long step() {
        Epoch current = epoch.get();
        if (current == null) {
            of = null;
            duties().forEach(Duty::rest);
            return AS_STANDBY.toNanos();
        }
        beginIfNew(current);
        return step(current).toNanos();
    }

    private Stream<Duty> duties() {
        return Stream.concat(
                Stream.of(creating, dropping, scattered, removing, definitions),
                deletions.stream().map(deletion -> deletion.duty));
    }

    private Duration step(Epoch current) {
        if (!hasPartitions && isReady(creating)) {
            hasPartitions = creating.run(() -> upkeep.makePartitions(current));
        } else if (!hasDropped && isReady(dropping)) {
            hasDropped = dropping.run(() -> drop(current));
        } else if (!hasDeletedScattered && isReady(scattered)) {
            scattered.run(
                    () -> hasDeletedScattered = !upkeep.deleteScattered(current, retentionTimes.wholeDays(), BATCH));
        } else {
            return delete(current);
        }
        return BETWEEN_BATCHES;
    }

    private static boolean isReady(Duty duty) {
        return duty.pauseNanos() == 0;
    }

    private void drop(Epoch current) {
        for (String partition : upkeep.dropDays(current, retentionTimes.wholeDays())) {
            LOG.info("dropped ledger partition {}: older than {} days", partition, retentionTimes.wholeDays());
        }
    }

    /** All work starts again with every epoch and every day. So it also finds executions that ended late. */
    private void beginIfNew(Epoch current) {
        long today = Math.floorDiv(clock.nowMillis(), Duration.ofDays(1).toMillis());
        if (!current.equals(of) || today != day) {
            of = current;
            day = today;
            hasPartitions = false;
            hasDropped = false;
            hasDeletedScattered = false;
            hasRemoved = false;
            definition = OptionalLong.of(0);
            deletions.forEach(deletion -> {
                deletion.isDone = false;
                deletion.last = null;
            });
        }
    }

    private Duration delete(Epoch current) {
        for (Deletion deletion : deletions) {
            if (!deletion.isDone && isReady(deletion.duty)) {
                deletion.duty.run(() -> delete(current, deletion));
                return BETWEEN_BATCHES;
            }
        }
        if (!hasRemoved && isReady(removing)) {
            removing.run(() -> hasRemoved = upkeep.removeFinished(
                            current, retentionTimes.finishedTasks().toMillis(), TASKS)
                    < TASKS);
            return BETWEEN_BATCHES;
        }
        if (definition.isPresent() && !gaveWay && isReady(definitions)) {
            definitions.run(() -> {
                OptionalLong examined =
                        upkeep.removeDefinitions(current, retentionTimes.wholeDays(), definition.getAsLong(), BATCH);
                gaveWay = examined.equals(definition);
                definition = examined;
            });
            return BETWEEN_BATCHES;
        }
        if (ticker.nanos() - roundNanos < BETWEEN_ROUNDS.toNanos()) {
            return BETWEEN_LOOKS;
        }
        roundNanos = ticker.nanos();
        hasRemoved = false;
        gaveWay = false;
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
