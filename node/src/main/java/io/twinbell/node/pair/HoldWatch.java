package io.twinbell.node.pair;

import io.twinbell.persistence.database.DatabaseClock;
import io.twinbell.persistence.epoch.Hold;
import java.util.Optional;
import java.util.function.Supplier;

/** Whether automatic takeover is on hold, as this node last read it: for those who must not ask the database. */
final class HoldWatch {
    private final Supplier<Optional<Hold>> read;
    private final DatabaseClock clock;
    private volatile Hold latest;

    HoldWatch(Supplier<Optional<Hold>> read, DatabaseClock clock) {
        this.read = read;
        this.clock = clock;
    }

    /** Reads it anew; throws if the database does not answer. */
    void refresh() {
        latest = read.get().orElse(null);
    }

    boolean isOn() {
        Hold hold = latest;
        return hold != null && clock.nowMillis() < hold.untilMillis();
    }
}
