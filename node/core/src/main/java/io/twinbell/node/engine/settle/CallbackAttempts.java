package io.twinbell.node.engine.settle;

import io.twinbell.node.engine.claim.ClaimedRuns;
import io.twinbell.node.engine.run.Run;
import io.twinbell.node.engine.run.RunRegistry;
import io.twinbell.node.engine.step.SupersededListener;
import io.twinbell.node.engine.worker.CallbackRuns;
import io.twinbell.node.engine.worker.RunExecutor;
import io.twinbell.node.loop.Loop;
import io.twinbell.persistence.clock.Ticker;
import io.twinbell.persistence.database.DatabaseUnavailableException;
import io.twinbell.persistence.epoch.Epoch;
import io.twinbell.persistence.ledger.callback.CallbackStore;
import java.time.Duration;
import java.util.function.LongConsumer;

/**
 * Parks attempts, and ends them when they are answered. The first answer in the row of a parked attempt counts, whether
 * it comes from the holder of the token, from the timeout, or from this node. Only a master applies answers and adopts
 * the attempts that earlier masters left parked. One thread steps it.
 */
public final class CallbackAttempts {
    /** The maximum number of attempts that one statement answers with TIMED_OUT. */
    private static final int BATCH = 500;

    private static final Duration KEEP = Duration.ofDays(7);
    private static final long RARELY_NANOS = Duration.ofSeconds(30).toNanos();
    private static final long POLL_NANOS = Duration.ofSeconds(1).toNanos();
    private static final long RETRY_NANOS = Duration.ofMillis(200).toNanos();

    private final CallbackStore store;
    private final RunRegistry registry;
    private final RunExecutor executor;
    private final Ticker ticker;
    private final Loop loop;
    private final CallbackRunWriter writer;
    private final CallbackAdoption adoption;
    private final CallbackAnswers answers;

    private volatile Epoch firing;
    private long rareNanos;

    /**
     * @param superseded called when a write was refused, because its epoch is superseded
     * @param adopted called after runs were adopted, which limits do not count yet
     * @param changed called with each task whose claim vanished
     */
    public CallbackAttempts(
            CallbackStore store,
            CallbackRuns queues,
            RunRegistry registry,
            RunExecutor executor,
            ClaimedRuns claimedRuns,
            SupersededListener superseded,
            Runnable adopted,
            LongConsumer changed,
            Ticker ticker,
            Loop loop) {
        this.store = store;
        this.registry = registry;
        this.executor = executor;
        this.loop = loop;
        this.ticker = ticker;
        writer = new CallbackRunWriter(
                store, queues, registry, executor, superseded, changed, epoch -> epoch.equals(firing));
        adoption = new CallbackAdoption(store, registry, executor, claimedRuns, adopted);
        answers = new CallbackAnswers(store, registry, executor);
        rareNanos = ticker.nanos();
    }

    /** Begins a new epoch: from now on the tasks with parked attempts of earlier masters count as running. */
    public void begin(Epoch epoch) {
        adoption.begin(epoch);
        firing = epoch;
    }

    /** Stops applying answers. The successor adopts the attempts that wait for one. */
    public void stop(Epoch epoch) {
        firing = null;
        registry.of(epoch).stream().filter(Run::isAccepted).forEach(executor::dropParked);
    }

    /** Does one pass; returns how long to sleep if nothing is added, in nanoseconds. */
    public long step() {
        try {
            writer.write();
            Epoch epoch = firing;
            boolean hasMore = epoch != null && settle(epoch);
            return hasMore || writer.hasMore() ? 0 : POLL_NANOS;
        } catch (DatabaseUnavailableException e) {
            loop.failed(e);
            return RETRY_NANOS;
        }
    }

    /** Does the work that only a master does; returns whether there may be more. */
    private boolean settle(Epoch epoch) {
        boolean moreToAdopt = adoption.adopt(epoch);
        boolean moreExpired = store.expire(epoch, BATCH) == BATCH;
        boolean hasApplied = answers.applyAll();
        boolean isRare = ticker.nanos() - rareNanos >= RARELY_NANOS;
        if (isRare) {
            rareNanos = ticker.nanos();
            adoption.repeat();
            answers.endLost();
        }
        if (isRare || hasApplied) {
            store.close(isRare, KEEP);
        }
        return moreToAdopt || moreExpired;
    }
}
