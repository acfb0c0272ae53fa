package io.twinbell.node.pair.view;

import io.twinbell.persistence.clock.DatabaseClock;
import io.twinbell.persistence.epoch.TakeoverHold;
import java.util.Optional;
import java.util.function.Supplier;

/** Caches whether automatic takeover is on hold, for callers that must not query the database. */
public final class HoldWatch {
    private final Supplier<Optional<TakeoverHold>> read;
    private final DatabaseClock clock;
    private volatile TakeoverHold latest;

    public HoldWatch(Supplier<Optional<TakeoverHold>> read, DatabaseClock clock) {
        this.read = read;
        this.clock = clock;
    }

    /** Reads the hold from the database; throws if the database does not answer. */
    public void refresh() {
        latest = read.get().orElse(null);
    }

    boolean isOn() {
        return latest().isPresent();
    }

    /** The hold that is on now, as last read. */
    Optional<TakeoverHold> latest() {
        TakeoverHold hold = latest;
        return hold != null && clock.nowMillis() < hold.untilMillis() ? Optional.of(hold) : Optional.empty();
    }
}
