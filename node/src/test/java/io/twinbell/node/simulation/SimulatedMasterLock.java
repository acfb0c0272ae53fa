package io.twinbell.node.simulation;

import io.twinbell.persistence.database.DatabaseUnavailableException;
import io.twinbell.persistence.takeover.MasterLock;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Supplier;

/** Stands for {@code JdbcMasterLock} on the simulated database. */
final class SimulatedMasterLock implements MasterLock {
    private final Link link;
    private final SimulatedDatabase database;
    private final Runnable wake;
    private int holding;
    private long heldSinceMillis;

    /** @param wake steps the lock's user again when the lock becomes free, if that user could not wait */
    SimulatedMasterLock(Link link, SimulatedDatabase database, Runnable wake) {
        this.link = link;
        this.database = database;
        this.wake = wake;
    }

    @Override
    public Optional<String> unfit() {
        return onSession("fit?", Optional::empty);
    }

    @Override
    public OptionalLong await(Duration bound) {
        if (isMine()) {
            return OptionalLong.of(heldSinceMillis);
        }
        boolean had = onSession("take the lock", this::take);
        World world = database.world();
        if (!had && world.depth() == 1) {
            world.pass(
                    bound.toNanos(),
                    () -> database.masterLockHolder().isEmpty() || link.backend() == null || link.backend().ended,
                    link.process());
            had = onSession("wait for the lock", this::take);
        } else if (!had) {
            database.waitForLock(link.process().toString(), wake);
        }
        return had ? OptionalLong.of(heldSinceMillis) : OptionalLong.empty();
    }

    private boolean isMine() {
        return holding != 0 && link.backend() != null && link.backend().pid == holding;
    }

    private boolean take() {
        boolean had = database.lockMaster(link.serving());
        if (had) {
            holding = link.serving().pid;
            heldSinceMillis = database.nowMillis();
        }
        return had;
    }

    @Override
    public boolean isHeld() {
        return holding != 0
                && onSession("still held?", () -> {
                    boolean held = database.masterLockHolder().orElse(null) == link.serving();
                    if (!held) {
                        holding = 0;
                    }
                    return held;
                });
    }

    @Override
    public int backend() {
        return holding;
    }

    @Override
    public void release() {
        if (holding == 0) {
            return;
        }
        onSession("release the lock", () -> {
            database.unlockMaster(link.serving());
            return null;
        });
        holding = 0;
    }

    @Override
    public Optional<String> evict() {
        return onSession("end the lock's session", () -> {
            database.masterLockHolder()
                    .filter(holder -> holder != link.serving())
                    .ifPresent(holder -> database.terminate(holder.pid));
            return Optional.empty();
        });
    }

    private <T> T onSession(String what, Supplier<T> work) {
        try {
            return link.ask(what, work);
        } catch (DatabaseUnavailableException e) {
            holding = 0;
            throw e;
        }
    }
}
