package io.twinbell.node.engine;

import io.twinbell.ha.role.Predecessor;
import io.twinbell.node.engine.decision.SlotDecision;
import io.twinbell.node.engine.step.Deadlines;
import io.twinbell.persistence.clock.DatabaseClock;
import io.twinbell.persistence.cluster.Pause;
import io.twinbell.persistence.epoch.DoubtWindow;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * The state that prevents due slots from running: the pauses of the cluster, as last read, and the window of slots that
 * may have run before.
 */
final class FiringPauseState {
    private final Supplier<List<Pause>> source;
    private final DatabaseClock clock;
    private final Deadlines deadlines;
    private final Runnable onEnd;
    private final DoubtWindow.Source doubt;
    private volatile List<Pause> pauses = List.of();
    private volatile DoubtWindow.DoubtBounds inDoubt = DoubtWindow.DoubtBounds.NONE;

    /**
     * @param doubt which slots without a ledger row may have run under the previous master
     * @param onEnd called when a pause should have ended, so that the pauses are read again
     */
    FiringPauseState(
            Supplier<List<Pause>> source,
            DoubtWindow.Source doubt,
            DatabaseClock clock,
            Deadlines deadlines,
            Runnable onEnd) {
        this.source = source;
        this.doubt = doubt;
        this.clock = clock;
        this.deadlines = deadlines;
        this.onEnd = onEnd;
    }

    /** Reads the pauses from the database; returns whether they have changed. */
    boolean read() {
        List<Pause> latest = source.get();
        boolean isNew = !latest.equals(pauses);
        pauses = latest;
        return isNew;
    }

    /** Reads pauses and doubt under a new epoch, before anything is claimed under it. */
    void begin(Predecessor predecessor) {
        read();
        // A database server that has the predecessor's resignation has everything committed before it.
        inDoubt = doubt.window(predecessor.resignedItself());
    }

    SlotDecision.DecisionContext world(Duration retention) {
        return new SlotDecision.DecisionContext(clock.nowMillis(), pauses, retention, inDoubt);
    }

    boolean isPaused() {
        return open().isPresent();
    }

    /** The pause of all firing that is open now, as last read. */
    Optional<Pause> open() {
        long now = clock.nowMillis();
        return pauses.stream()
                .filter(pause -> !pause.isStanding() && pause.isOpenAt(now))
                .findFirst();
    }

    /** The standing pauses that are open now, as last read. */
    List<Pause> standing() {
        long now = clock.nowMillis();
        return pauses.stream()
                .filter(pause -> pause.isStanding() && pause.isOpenAt(now))
                .sorted(Comparator.comparing(Pause::key))
                .toList();
    }

    /**
     * Schedules a read of the pauses for the time when the next one ends. The pause may end earlier or be extended
     * meanwhile.
     */
    void scheduleReadAtPauseEnd() {
        long now = clock.nowMillis();
        long end = pauses.stream()
                .filter(pause -> pause.isOpenAt(now))
                .mapToLong(Pause::untilMillis)
                .min()
                .orElse(Long.MAX_VALUE);
        if (end != Long.MAX_VALUE) {
            deadlines.after(Duration.ofMillis(Math.max(1, end - now)), onEnd);
        }
    }
}
