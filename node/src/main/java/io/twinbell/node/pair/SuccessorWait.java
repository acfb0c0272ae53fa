package io.twinbell.node.pair;

import io.twinbell.ha.latch.Election;
import io.twinbell.ha.latch.Latch;
import io.twinbell.persistence.database.Ticker;
import io.twinbell.persistence.epoch.Epoch;
import java.time.Duration;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A master that has handed over and is to end keeps still while its successor begins: the end of a process takes the very
 * processors on which the other, if it is on the same machine, makes its first calls.
 */
final class SuccessorWait {
    private static final Logger LOG = LoggerFactory.getLogger(SuccessorWait.class);
    static final Duration BOUND = Duration.ofMillis(500);
    static final Duration FIRST_CALLS = Duration.ofMillis(100);
    private static final Duration LOOK_AGAIN = Duration.ofMillis(50);

    private final Supplier<Election> election;
    private final LongSupplier latestEpoch;
    private final Consumer<Duration> rest;
    private final Ticker ticker;

    /**
     * @param latestEpoch reads it from the database
     * @param rest returns after so long, or sooner if there is news
     */
    SuccessorWait(Supplier<Election> election, LongSupplier latestEpoch, Consumer<Duration> rest, Ticker ticker) {
        this.election = election;
        this.latestEpoch = latestEpoch;
        this.rest = rest;
        this.ticker = ticker;
    }

    static SuccessorWait of(Latch latch, PairRegisters registers, EpochSignal signal) {
        return new SuccessorWait(
                latch::look, () -> registers.epochs().read().epoch(), signal::await, registers.ticker());
    }

    /**
     * Waits until the successor has opened its epoch, for {@link #BOUND}, and then {@link #FIRST_CALLS} more; not at all
     * if no other node stands in the election or a server does not answer. One that hangs is waited for as long as its
     * connection takes to notice.
     *
     * @param last the epoch that this node handed over; null if it was not master
     */
    void awaitSuccessor(Epoch last) {
        if (last == null) {
            return;
        }
        try {
            boolean hasSuccessor = !election.get().nodes().stream().allMatch(last.node()::equals);
            if (hasSuccessor && awaitFor(BOUND, () -> latestEpoch.getAsLong() > last.number())) {
                awaitFor(FIRST_CALLS, () -> false);
            }
        } catch (RuntimeException e) {
            // A node that is to end does, whatever becomes of this; as a rule the database has gone.
            LOG.debug("the successor is not waited for", e);
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
