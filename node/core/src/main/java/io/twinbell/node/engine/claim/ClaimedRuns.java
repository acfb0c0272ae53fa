package io.twinbell.node.engine.claim;

import io.twinbell.node.engine.run.EngineMetrics;
import io.twinbell.node.engine.run.Limits;
import io.twinbell.node.engine.run.Run;
import io.twinbell.node.engine.run.RunRegistry;
import io.twinbell.node.engine.task.TaskCompiler;
import io.twinbell.node.engine.trigger.ActionQueue;
import io.twinbell.node.engine.trigger.HeapAction;
import io.twinbell.node.engine.worker.OutcomeRecorder;
import io.twinbell.persistence.clock.DatabaseClock;
import io.twinbell.persistence.epoch.Epoch;
import io.twinbell.persistence.ledger.Attempt;
import io.twinbell.persistence.ledger.ExecutionState;
import io.twinbell.persistence.ledger.Slot;
import io.twinbell.persistence.ledger.callback.CallbackStore.AdoptedAttempt;
import io.twinbell.persistence.ledger.journal.ClaimJournal;
import io.twinbell.persistence.task.DefinitionParts;
import java.util.ArrayList;
import java.util.List;

/** Turns ledger rows that this node has claimed into runs, and registers them. */
public final class ClaimedRuns {
    private final RunRegistry registry;
    private final ActionQueue actions;
    private final OutcomeRecorder outcomes;
    private final EngineMetrics metrics;
    private final TaskCompiler compiler;
    private final DatabaseClock clock;
    private final ClaimJournal claims;

    public ClaimedRuns(
            RunRegistry registry,
            ActionQueue actions,
            OutcomeRecorder outcomes,
            EngineMetrics metrics,
            TaskCompiler compiler,
            DatabaseClock clock,
            ClaimJournal claims) {
        this.registry = registry;
        this.actions = actions;
        this.outcomes = outcomes;
        this.metrics = metrics;
        this.compiler = compiler;
        this.clock = clock;
        this.claims = claims;
    }

    /** The generation of the database server. Read it before a claim is sent or looked up. */
    public int generation() {
        return claims.generation();
    }

    /** Whether rows that cannot be run, which take no room, are claimed faster than they are recorded. */
    boolean hasTooManyUnrunnable() {
        return outcomes.hasTooManyUnrunnable();
    }

    /** Takes claimed runs. They are registered before the trigger can start them, so that a hand-back misses none. */
    void take(List<Run> runs) {
        register(runs);
        start(runs);
    }

    private void register(List<Run> runs) {
        long now = clock.nowMillis();
        for (Run run : runs) {
            run.takenAt(now);
            registry.add(run);
            claims.claimed(run.epoch(), run.attempt(), now);
        }
    }

    private void start(List<Run> runs) {
        if (!runs.isEmpty()) {
            metrics.claimed(runs.size());
            actions.add(new HeapAction.Start(runs));
        }
    }

    /** Takes rows with their definition as text. A row that cannot be run gets its outcome at once. */
    public void take(Epoch epoch, List<Attempt> attempts, int generation) {
        List<Run> runs = new ArrayList<>(attempts.size());
        for (Attempt attempt : attempts) {
            Run run = runOf(epoch, attempt, generation);
            if (run != null) {
                runs.add(run);
            }
        }
        // Registered before they enter their limits: the outcome of a slot's earlier attempt may be recorded right now,
        // and would end their count.
        register(runs);
        runs.removeIf(this::waitsForLimit);
        start(runs);
    }

    /** Takes parked attempts of an earlier master. A row that cannot be run gets its outcome at once. */
    public void adopt(Epoch epoch, List<AdoptedAttempt> adopted, int generation) {
        for (AdoptedAttempt parked : adopted) {
            Run run = runOf(epoch, parked.attempt(), generation);
            if (run != null) {
                long now = clock.nowMillis();
                run.takenAt(now);
                registry.adopt(run, parked.startedMicros());
                claims.claimed(epoch, parked.attempt(), now);
            }
        }
    }

    /** The run of a row; null if the row cannot be run, after its outcome was added. */
    private Run runOf(Epoch epoch, Attempt attempt, int generation) {
        String definition = attempt.definition();
        if (definition == null) {
            outcomes.addUnrunnable(epoch, attempt, ExecutionState.CANCELLED, "its task was removed");
            return null;
        }
        TaskCompiler.Compiled compiled =
                compiler.compile(attempt.app(), attempt.name(), DefinitionParts.whole(definition));
        if (compiled.definition() == null) {
            outcomes.addUnrunnable(epoch, attempt, ExecutionState.FAILED, compiled.error());
            return null;
        }
        return new Run(epoch, attempt, compiled.definition(), definition.length(), generation);
    }

    /** A run without room under its limits has not begun, so it waits in the ledger. */
    private boolean waitsForLimit(Run run) {
        Limits limits = registry.limits();
        String full = limits.inUse() ? limits.enter(run.slot(), run.limitKeys(), clock.nowMillis()) : null;
        if (full == null) {
            return false;
        }
        if (run.endUnstarted()) {
            outcomes.addWaitingFor(run, full);
        }
        return true;
    }

    /** Frees the limits of a slot that was decided without a claim, unless this process holds its run. */
    void notEntered(Slot slot) {
        if (!registry.contains(slot)) {
            registry.limits().leave(slot, false);
        }
    }
}
