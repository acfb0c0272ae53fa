package io.twinbell.node.memory;

import io.twinbell.persistence.epoch.Claimant;
import io.twinbell.persistence.epoch.Epoch;
import io.twinbell.persistence.epoch.EpochRegister;
import io.twinbell.persistence.epoch.EpochRow;
import java.time.Duration;
import java.util.Optional;

/** Confirms the current epoch. {@link MemoryTables#openEpoch} opens it, without an election. */
public record MemoryEpochs(MemoryTables tables) implements EpochRegister {
    @Override
    public EpochRow read() {
        throw new UnsupportedOperationException("a single master has no election");
    }

    @Override
    public Optional<Epoch> open(long expected, Claimant claimant, String reason) {
        throw new UnsupportedOperationException("a single master has no election");
    }

    @Override
    public boolean beat(Epoch epoch) {
        return confirm(epoch);
    }

    @Override
    public boolean confirm(Epoch epoch) {
        tables.reach("confirm the epoch");
        return tables.isOwner(epoch);
    }

    @Override
    public boolean resign(Epoch epoch, Duration drain) {
        throw new UnsupportedOperationException("a single master does not resign");
    }

    @Override
    public void drained(Epoch epoch) {
        throw new UnsupportedOperationException("a single master does not resign");
    }

    @Override
    public void askToHandOver(long epoch, String askedBy, String reason) {
        throw new UnsupportedOperationException("a single master does not resign");
    }

    @Override
    public Optional<String> handOverAsked(Epoch epoch) {
        return Optional.empty();
    }
}
