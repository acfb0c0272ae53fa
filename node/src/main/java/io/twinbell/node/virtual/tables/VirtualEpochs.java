package io.twinbell.node.virtual.tables;

import io.twinbell.persistence.epoch.Claimant;
import io.twinbell.persistence.epoch.Epoch;
import io.twinbell.persistence.epoch.EpochRegister;
import io.twinbell.persistence.epoch.EpochRow;
import java.time.Duration;
import java.util.Optional;

/** Confirms the current epoch. The node in virtual time opens epochs itself, without an election. */
public record VirtualEpochs(VirtualTables tables) implements EpochRegister {
    @Override
    public EpochRow read() {
        throw new UnsupportedOperationException("the node in virtual time has no election");
    }

    @Override
    public Optional<Epoch> open(long expected, Claimant claimant, String reason) {
        throw new UnsupportedOperationException("the node in virtual time has no election");
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
        throw new UnsupportedOperationException("the node in virtual time does not resign");
    }

    @Override
    public void drained(Epoch epoch) {
        throw new UnsupportedOperationException("the node in virtual time does not resign");
    }

    @Override
    public void askToHandOver(long epoch, String askedBy, String reason) {
        throw new UnsupportedOperationException("the node in virtual time does not resign");
    }

    @Override
    public Optional<String> handOverAsked(Epoch epoch) {
        return Optional.empty();
    }
}
