package io.twinbell.node.pair.role;

import io.twinbell.ha.latch.Election;
import io.twinbell.ha.latch.Latch;
import io.twinbell.node.pair.database.PairRegisters;
import io.twinbell.persistence.clock.Ticker;
import io.twinbell.persistence.epoch.Epoch;
import java.time.Duration;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Delays the end of a process that has handed over until its successor has begun. If both are on the same machine, the
 * shutdown would compete for the processors with the successor's first handler calls.
 */
public final class SuccessorWait {
    private static final Logger LOG = LoggerFactory.getLogger(SuccessorWait.class);
    static final Duration BOUND = Duration.ofMillis(500);
    static final Duration FIRST_CALLS = Duration.ofMillis(100);
    private static final Duration LOOK_AGAIN = Duration.ofMillis(50);

    private final Supplier<Election> election;
    private final LongSupplier latestEpoch;
    private final Consumer<Duration> rest;
    private final Ticker ticker;

    /**
     * @param latestEpoch reads the latest epoch from the database
     * @param rest waits for the given time, or less if there is a signal
     */
    SuccessorWait(Supplier<Election> election, LongSupplier latestEpoch, Consumer<Duration> rest, Ticker ticker) {
        this.election = election;
        this.latestEpoch = latestEpoch;
        this.rest = rest;
        this.ticker = ticker;
    }

    public static SuccessorWait of(Latch latch, PairRegisters registers, EpochSignal signal) {
        return new SuccessorWait(
                latch::readElection, () -> registers.epochs().read().epoch(), signal::await, registers.ticker());
    }

    /**
     * Waits until the successor has opened its epoch, at most for {@link #BOUND}, and then for {@link #FIRST_CALLS}
     * more. Does not wait if no other node stands in the election or a server does not answer. If a server hangs, this
     * waits until its connection notices.
     *
     * @param last the epoch that this node handed over; null if it was not master
     */
    public void awaitSuccessor(Epoch last) {
        if (last == null) {
            return;
        }
        try {
            boolean hasSuccessor = !election.get().nodes().stream().allMatch(last.node()::equals);
            if (hasSuccessor && awaitFor(BOUND, () -> latestEpoch.getAsLong() > last.number())) {
                awaitFor(FIRST_CALLS, () -> false);
            }
        } catch (RuntimeException e) {
            // The node ends in any case. Usually the database is gone.
            LOG.debug("waiting for the successor failed", e);
        }
    }

    private boolean awaitFor(Duration bound, BooleanSupplier condition) {
        long began = ticker.nanos();
        boolean isMet = condition.getAsBoolean();
        while (!isMet && !Thread.currentThread().isInterrupted() && ticker.nanos() - began < bound.toNanos()) {
            rest.accept(LOOK_AGAIN);
            isMet = condition.getAsBoolean();
        }
        return isMet;
    }
}
