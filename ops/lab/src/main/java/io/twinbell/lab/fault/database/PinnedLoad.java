package io.twinbell.lab.fault.database;

import io.twinbell.lab.fault.Fault;
import io.twinbell.lab.fault.FaultRequirements;
import io.twinbell.lab.fault.OwnFault;
import io.twinbell.lab.own.OwnPair;
import io.twinbell.lab.server.OneShotLoad;
import io.twinbell.lab.stage.DrillStage;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;

/** A fault under a steady load of one-shots, while a foreign transaction pins a snapshot. */
abstract class PinnedLoad extends OwnFault {
    /** Tasks are added this many seconds before they are due. */
    static final int ADDED_AHEAD = 5;

    static final int MILLIS = 1000;

    private final Duration pinned;
    private final int perSecond;

    /**
     * @param pinned how long the snapshot is pinned; whole seconds
     * @param perSecond how many one-shots are due a second
     */
    PinnedLoad(String name, String description, RoleEffect roleEffect, Duration pinned, int perSecond) {
        super(name, description, roleEffect);
        this.pinned = pinned;
        this.perSecond = perSecond;
    }

    /** The same fault with another duration and load. */
    abstract Fault with(Duration time, int rate);

    final Duration pinned() {
        return pinned;
    }

    final int perSecond() {
        return perSecond;
    }

    final OneShotLoad load(DrillStage stage, OwnPair pair) throws IOException {
        String app = "pinned-" + Long.toHexString(stage.random().nextLong() >>> 32);
        return new OneShotLoad(pair.database(), app, perSecond);
    }

    /** The next whole second before which the first tasks can be added, in milliseconds since 1970. */
    static long firstSecond(DrillStage stage) {
        return (stage.poll().wallMicros() / MILLIS / MILLIS + ADDED_AHEAD + 1) * MILLIS;
    }

    @Override
    public final FaultRequirements requirements() {
        return FaultRequirements.DISK;
    }

    @Override
    public final Optional<Fault> lasting(Duration time) {
        return Optional.of(with(time, perSecond));
    }

    @Override
    public final Optional<Fault> under(int rate) {
        return Optional.of(with(pinned, rate));
    }
}
