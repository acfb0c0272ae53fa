package io.twinbell.node.engine;

import io.twinbell.node.schedule.Schedule;
import io.twinbell.node.task.TaskDefinition;
import io.twinbell.persistence.database.DatabaseClock;
import io.twinbell.persistence.database.DatabaseUnavailableException;
import io.twinbell.persistence.database.Ticker;
import io.twinbell.persistence.epoch.Epoch;
import io.twinbell.persistence.ledger.Attempt;
import io.twinbell.persistence.ledger.Completion;
import io.twinbell.persistence.ledger.Recovery;
import io.twinbell.persistence.ledger.Settlement;
import io.twinbell.persistence.ledger.Stalled;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.LongConsumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Makes the past whole: orphans of older epochs, rows of this epoch that nobody holds, slots that were passed over. */
final class Settling {
    private static final Logger LOG = LoggerFactory.getLogger(Settling.class);
    static final int BATCH = 500;
    /** A claim is in this process's hands within milliseconds of its commit, or never. */
    private static final long UNHELD_AFTER_MILLIS = Duration.ofSeconds(5).toMillis();

    private static final Duration WHILE_DRAINING = Duration.ofMillis(100);
    /** There are partitions for a week ahead, so nothing hurries. */
    private static final Duration TRY_PARTITIONS = Duration.ofMinutes(1);

    private static final Duration LOOK_FOR_FINISHED = Duration.ofMinutes(1);

    private static final Duration SOON = Duration.ofMillis(1);
    private static final Duration RARELY = Duration.ofSeconds(3);

    private final Recovery recovery;
    private final InFlight inFlight;
    private final Intake intake;
    private final Clocks clocks;
    private final LongConsumer onFollowed;
    private final Habits habits;
    private long partitionsOfDay = -1;
    private long triedPartitionsNanos = Long.MIN_VALUE / 2;
    private long foundNoneNanos = Long.MIN_VALUE / 2;
    private volatile long orphansFromNanos;

    /** Fire times and ends are told by the database's clock, trust by the monotonic one. */
    record Clocks(DatabaseClock database, Ticker monotonic) {}

    /**
     * What else it goes by.
     *
     * @param keep how long things are kept
     * @param claimsInDoubt whether rows of this epoch may be in nobody's hands because a claim got no answer
     */
    record Habits(Keep keep, BooleanSupplier claimsInDoubt) {
        int keepDays() {
            return Math.toIntExact(Math.max(1, keep.executions().toDays()));
        }
    }

    Settling(
            Recovery recovery,
            InFlight inFlight,
            Intake intake,
            Clocks clocks,
            LongConsumer onFollowed,
            Habits habits) {
        this.recovery = recovery;
        this.inFlight = inFlight;
        this.intake = intake;
        this.clocks = clocks;
        this.onFollowed = onFollowed;
        this.habits = habits;
    }

    /**
     * A new epoch was opened just now.
     *
     * @param predecessorIsOver if not, its orphans are left alone for one trust window: until then it may still start
     *     what it has claimed
     */
    void begin(boolean predecessorIsOver) {
        long wait = predecessorIsOver ? 0 : Trust.WINDOW.toNanos();
        orphansFromNanos = clocks.monotonic().nanos() + wait;
    }

    /** One pass under the epoch; returns when to come again. */
    Duration step(Epoch epoch) {
        recovery.enterPassedSlots(epoch);
        Set<Long> draining = recovery.tasksThatDrain();
        inFlight.runElsewhere(draining);
        settle(epoch, unheld(epoch));
        setStalledGoing(epoch);
        maintainPartitions(epoch);
        removeFinished(epoch);
        long untilOver = orphansFromNanos - clocks.monotonic().nanos();
        if (untilOver > 0) {
            return Duration.ofNanos(untilOver).plusMillis(1);
        }
        boolean more = settle(epoch, recovery.orphans(epoch, Math.min(BATCH, intake.room())));
        return more ? SOON : draining.isEmpty() ? RARELY : WHILE_DRAINING;
    }

    /** Asked before the rows are read: a claim that comes into doubt later is younger than what is read. */
    private List<Attempt> unheld(Epoch epoch) {
        if (habits.claimsInDoubt().getAsBoolean()) {
            return List.of();
        }
        return recovery.own(epoch, UNHELD_AFTER_MILLIS, BATCH).stream()
                .filter(attempt -> !inFlight.holds(attempt.slot()))
                .toList();
    }

    /** Before the first look at the orphans: what the old master still finishes counts as running. */
    void lookAtDraining() {
        inFlight.runElsewhere(recovery.tasksThatDrain());
    }

    /** A task that follows its runs and has none would stick for ever. */
    private void setStalledGoing(Epoch epoch) {
        Map<Long, Long> next = new HashMap<>();
        for (Stalled stalled : recovery.stalled(BATCH)) {
            TaskDefinition definition = Definitions.compile(stalled.app(), stalled.name(), stalled.definition())
                    .definition();
            next.put(stalled.taskId(), nextOf(definition, stalled.lastEndedMillis()));
        }
        if (!next.isEmpty()) {
            LOG.info("{} tasks waited for a run that was not there: set going again", next.size());
            recovery.setGoing(epoch, next);
        }
    }

    /** What can't be read is due at once, so that the claimer says what is wrong with it. */
    private long nextOf(TaskDefinition definition, long lastEndedMillis) {
        long now = clocks.database().nowMillis();
        if (definition == null) {
            return now;
        }
        boolean counts = definition.schedule().followsTheRun() && lastEndedMillis != 0;
        long next = definition.schedule().afterRun(counts ? lastEndedMillis : now);
        return next == Schedule.NEVER ? Completion.FINISHED : next;
    }

    private void maintainPartitions(Epoch epoch) {
        long day =
                Math.floorDiv(clocks.database().nowMillis(), Duration.ofDays(1).toMillis());
        if (day == partitionsOfDay || clocks.monotonic().nanos() - triedPartitionsNanos < TRY_PARTITIONS.toNanos()) {
            return;
        }
        triedPartitionsNanos = clocks.monotonic().nanos();
        try {
            recovery.maintainPartitions(epoch, habits.keepDays());
            partitionsOfDay = day;
        } catch (DatabaseUnavailableException e) {
            LOG.info("the ledger's partitions are made later, somebody holds the ledger: {}", e.getMessage());
        }
    }

    /** A batch a pass, while there is a whole one; else looked for once a minute. */
    private void removeFinished(Epoch epoch) {
        if (clocks.monotonic().nanos() - foundNoneNanos >= LOOK_FOR_FINISHED.toNanos()) {
            int removed =
                    recovery.removeFinished(epoch, habits.keep().finishedTasks().toMillis(), BATCH);
            if (removed > 0) {
                LOG.info("removed {} tasks that have long been finished", removed);
            }
            if (removed < BATCH) {
                foundNoneNanos = clocks.monotonic().nanos();
            }
        }
    }

    private boolean settle(Epoch epoch, List<Attempt> orphans) {
        if (orphans.isEmpty()) {
            return false;
        }
        long now = clocks.database().nowMillis();
        List<Settlement> decided = orphans.stream()
                .map(orphan -> SettlementDecision.decide(orphan, definition(orphan), now))
                .toList();
        List<Settlement> settled = recovery.settle(epoch, decided, now);
        List<Attempt> reruns = settled.stream()
                .filter(Settlement::isRerun)
                .map(settlement -> taken(epoch, settlement))
                .toList();
        LOG.info(
                "settled {} orphans: {} run again, {} dropped",
                settled.size(),
                reruns.size(),
                settled.size() - reruns.size());
        intake.take(epoch, reruns);
        settled.stream()
                .filter(settlement -> settlement.nextMillis() != Completion.NOT_FOLLOWED)
                .forEach(settlement ->
                        onFollowed.accept(settlement.orphan().slot().taskId()));
        return !settled.isEmpty();
    }

    private static TaskDefinition definition(Attempt orphan) {
        return orphan.definition() == null
                ? null
                : Definitions.compile(orphan.app(), orphan.name(), orphan.definition())
                        .definition();
    }

    private static Attempt taken(Epoch epoch, Settlement settlement) {
        Attempt orphan = settlement.orphan();
        return new Attempt(
                orphan.slot(),
                orphan.app(),
                orphan.name(),
                settlement.newAttempt(),
                epoch.number(),
                epoch.node(),
                orphan.definition());
    }
}
