package io.twinbell.node.engine;

import io.twinbell.persistence.cluster.FiringPauses.Pause;
import io.twinbell.persistence.database.DatabaseClock;
import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;

/** When firing is, and was, held for the whole cluster, as far as this process has read. */
final class HeldFiring {
    private final Supplier<List<Pause>> source;
    private final DatabaseClock clock;
    private final Deadlines deadlines;
    private final Runnable onEnd;
    private volatile List<Pause> pauses = List.of();

    /** @param onEnd who looks again when a pause should have come to its end */
    HeldFiring(Supplier<List<Pause>> source, DatabaseClock clock, Deadlines deadlines, Runnable onEnd) {
        this.source = source;
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

    List<Pause> pauses() {
        return pauses;
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
