package io.twinbell.node.engine.worker;

import io.twinbell.node.engine.handler.CallbackToken;
import io.twinbell.node.engine.handler.HandlerOutcome;
import io.twinbell.node.engine.handler.Parking;
import io.twinbell.node.engine.run.Run;
import io.twinbell.node.engine.run.RunRegistry;
import io.twinbell.node.engine.step.EngineEvent;
import io.twinbell.node.loop.Signals;
import io.twinbell.persistence.ledger.Slot;
import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Queues of runs to park, of parked runs that their receivers have accepted, and of outcomes that this node has for
 * parked runs. Any thread adds; the step that writes them takes.
 */
public final class CallbackRuns implements Parking {
    /** How long a handler waits to be parked. */
    private static final Duration PARKING = Duration.ofSeconds(10);

    private final RunRegistry registry;
    private final Signals<EngineEvent> signals;
    private final Queue<Run> toPark = new ConcurrentLinkedQueue<>();
    private final Queue<Run> accepted = new ConcurrentLinkedQueue<>();
    private final Queue<OwnEnd> ends = new ConcurrentLinkedQueue<>();

    /** An outcome that this node determined. It counts unless an answer came before. */
    public record OwnEnd(Run run, HandlerOutcome outcome) {}

    public CallbackRuns(RunRegistry registry, Signals<EngineEvent> signals) {
        this.registry = registry;
        this.signals = signals;
    }

    void add(Run run) {
        add(toPark, run);
    }

    /** Parks a run on behalf of its handler. */
    @Override
    public CallbackToken park(Slot slot, int attempt) {
        Run run = registry.find(slot);
        if (run == null || run.attempt().attempt() != attempt || !run.isRunning()) {
            throw new IllegalStateException("the execution is not parked: the attempt is over");
        }
        if (run.definition().timeout() == null) {
            throw new IllegalStateException("a task needs a timeout for its executions to be parked");
        }
        if (run.beginParking(false)) {
            add(run);
        }
        try {
            return run.callbackState().whenParked().get(PARKING.toMillis(), TimeUnit.MILLISECONDS);
        } catch (ExecutionException e) {
            throw new IllegalStateException(
                    "the execution is not parked: " + e.getCause().getMessage(), e);
        } catch (TimeoutException e) {
            throw new IllegalStateException(
                    "the execution is not parked: the database has not answered within " + PARKING, e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while the execution was parked", e);
        }
    }

    /** Its receiver has accepted the run, and will answer. */
    void accepted(Run run) {
        add(accepted, run);
    }

    void end(Run run, HandlerOutcome outcome) {
        add(ends, new OwnEnd(run, outcome));
    }

    private <T> void add(Queue<T> queue, T added) {
        queue.add(added);
        signals.raise(EngineEvent.CALLBACKS_CHANGED);
    }

    /** The next run to park; null if there is none. */
    public Run pollToPark() {
        return toPark.poll();
    }

    /** The next accepted run; null if there is none. */
    public Run pollAccepted() {
        return accepted.poll();
    }

    /** The next outcome of this node; null if there is none. */
    public OwnEnd pollEnd() {
        return ends.poll();
    }
}
