package io.twinbell.node.engine;

import io.twinbell.ha.role.Predecessor;
import io.twinbell.node.engine.decision.SlotDecision;
import io.twinbell.node.engine.step.Deadlines;
import io.twinbell.persistence.cluster.FiringPauses.Pause;
import io.twinbell.persistence.database.DatabaseClock;
import io.twinbell.persistence.epoch.Doubt;
import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;

/** What keeps due slots from running: pauses of the whole cluster, as last read, and slots that may have run before. */
final class FiringPauseState {
    private final Supplier<List<Pause>> source;
    private final DatabaseClock clock;
    private final Deadlines deadlines;
    private final Runnable onEnd;
    private final Doubt.Source doubt;
    private volatile List<Pause> pauses = List.of();
    private volatile Doubt.Window inDoubt = Doubt.Window.NONE;

    /**
     * @param doubt which slots without a row may have run, after a master that resigned or not
     * @param onEnd who looks again when a pause should have come to its end
     */
    FiringPauseState(
            Supplier<List<Pause>> source,
            Doubt.Source doubt,
            DatabaseClock clock,
            Deadlines deadlines,
            Runnable onEnd) {
        this.source = source;
        this.doubt = doubt;
        this.clock = clock;
        this.deadlines = deadlines;
        this.onEnd = onEnd;
    }

    /** Asks the database; returns whether anything has changed. */
    boolean read() {
        List<Pause> latest = source.get();
        boolean isNew = !latest.equals(pauses);
        pauses = latest;
        return isNew;
    }

    /** A new epoch was opened, and nothing has been claimed under it. */
    void begin(Predecessor predecessor) {
        read();
        // A server that has the resignation has everything that was committed before it.
        inDoubt = doubt.window(predecessor.resignedItself());
    }

    SlotDecision.World world(Duration retention) {
        return new SlotDecision.World(clock.nowMillis(), pauses, retention, inDoubt);
    }

    boolean isHeld() {
        long now = clock.nowMillis();
        return pauses.stream().anyMatch(pause -> pause.isOpenAt(now));
    }

    /** Somebody may end the pause before, or give it another end: this is only a look. */
    void lookAgainAtItsEnd() {
        long end =
                isHeld() ? pauses.stream().mapToLong(Pause::untilMillis).max().orElseThrow() : Long.MAX_VALUE;
        if (end != Long.MAX_VALUE) {
            deadlines.after(Duration.ofMillis(Math.max(1, end - clock.nowMillis())), onEnd);
        }
    }
}
