package io.twinbell.node.warmup;

import io.twinbell.persistence.epoch.Claimant;
import io.twinbell.persistence.epoch.Epoch;
import io.twinbell.persistence.epoch.EpochRegister;
import io.twinbell.persistence.epoch.EpochRow;
import java.time.Duration;
import java.util.Optional;

/** An epoch register for the warm-up run: its epoch is always current. */
record FixedEpochRegister() implements EpochRegister {
    @Override
    public EpochRow read() {
        return new EpochRow(0, null, null, false, 0, 0, 0);
    }

    @Override
    public Optional<Epoch> open(long expected, Claimant claimant, String reason) {
        return Optional.empty();
    }

    @Override
    public boolean beat(Epoch epoch) {
        return true;
    }

    @Override
    public boolean confirm(Epoch epoch) {
        return true;
    }

    @Override
    public boolean resign(Epoch epoch, Duration drain) {
        return true;
    }

    @Override
    public void drained(Epoch epoch) {
        // No successor waits for it.
    }

    @Override
    public void askToHandOver(long epoch, String askedBy, String reason) {
        // There is no owner to ask.
    }

    @Override
    public Optional<String> handOverAsked(Epoch epoch) {
        return Optional.empty();
    }
}
