package io.twinbell.node.engine.claim;

import io.twinbell.node.engine.definition.DefinitionCompiler;
import io.twinbell.node.engine.definition.Definitions;
import io.twinbell.node.engine.run.AppLoads;
import io.twinbell.node.engine.run.ClaimRoom;
import io.twinbell.node.engine.run.EngineMetrics;
import io.twinbell.node.engine.run.InFlight;
import io.twinbell.node.engine.run.Limits;
import io.twinbell.node.engine.run.Run;
import io.twinbell.node.engine.trigger.ActionQueue;
import io.twinbell.node.engine.trigger.HeapAction;
import io.twinbell.node.engine.worker.OutcomeRecorder;
import io.twinbell.node.loop.Loops;
import io.twinbell.node.task.TaskDefinition;
import io.twinbell.persistence.database.DatabaseClock;
import io.twinbell.persistence.epoch.Epoch;
import io.twinbell.persistence.ledger.Attempt;
import io.twinbell.persistence.ledger.ClaimCheck;
import io.twinbell.persistence.ledger.ExecutionState;
import io.twinbell.persistence.ledger.LedgerEntry;
import io.twinbell.persistence.ledger.Settlement;
import io.twinbell.persistence.ledger.Slot;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.LongFunction;

/** Where ledger rows that have become ours turn into runs. */
public final class ClaimedRuns {
    private final InFlight inFlight;
    private final ActionQueue actions;
    private final OutcomeRecorder outcomes;
    private final EngineMetrics metrics;
    private final DefinitionCompiler compiler;
    private final DatabaseClock clock;
    private final ClaimCheck claims;

    public ClaimedRuns(
            InFlight inFlight,
            ActionQueue actions,
            OutcomeRecorder outcomes,
            EngineMetrics metrics,
            DefinitionCompiler compiler,
            DatabaseClock clock,
            ClaimCheck claims) {
        this.inFlight = inFlight;
        this.actions = actions;
        this.outcomes = outcomes;
        this.metrics = metrics;
        this.compiler = compiler;
        this.clock = clock;
        this.claims = claims;
    }

    /** The generation of the database's server. Read it before a claim is sent or looked up. */
    public int generation() {
        return claims.generation();
    }

    public Loops loops() {
        return metrics.loops();
    }

    /** Overdue slots wait for the runs that this process holds. */
    OverdueBacklog backlog() {
        return new OverdueBacklog(inFlight);
    }

    /** What waits in the ledger for its turn goes before newer slots. */
    void waitInLedger(LongFunction<Set<Long>> read, long nowMillis) {
        Set<Long> known = inFlight.tasksInTurn();
        inFlight.waitInLedger(known, read.apply(nowMillis));
    }

    boolean isTurnAwaited() {
        return !inFlight.tasksInTurn().isEmpty();
    }

    /** How many more may be claimed now. */
    public int room() {
        return inFlight.room();
    }

    /** How much of what waits in the ledger may be claimed now: half of what could start soon, as planned slots want room too. */
    ClaimRoom roomForWaiting() {
        return inFlight.roomForWaiting();
    }

    /** How many more may be claimed of whichever apps without one having more than one app may hold. */
    int roomOfOneApp() {
        return inFlight.roomOfOneApp();
    }

    /** Whether rows that cannot be run, which take no room, are claimed faster than they are recorded. */
    boolean isFullOfUnrunnable() {
        return outcomes.isFullOfUnrunnable();
    }

    /** How much of what is due may be claimed now. */
    ClaimRoom roomForDue() {
        return inFlight.roomForDue();
    }

    /** How much each app holds. */
    AppLoads loads() {
        return inFlight.loads();
    }

    Limits limits() {
        return inFlight.limits();
    }

    /** Known to this process before the trigger can start them, so that none is overlooked by a hand-back. */
    void take(List<Run> runs) {
        hold(runs);
        start(runs);
    }

    private void hold(List<Run> runs) {
        long now = clock.nowMillis();
        for (Run run : runs) {
            run.takenAt(now);
            inFlight.add(run);
            claims.claimed(run.epoch(), run.attempt(), now);
        }
    }

    private void start(List<Run> runs) {
        if (!runs.isEmpty()) {
            metrics.claimed(runs.size());
            actions.add(new HeapAction.Start(runs));
        }
    }

    /** Rows with their definition as text; one that cannot be run gets its outcome at once. */
    public void take(Epoch epoch, List<Attempt> attempts, int generation) {
        List<Run> runs = new ArrayList<>(attempts.size());
        for (Attempt attempt : attempts) {
            if (attempt.definition() == null) {
                outcomes.addUnrunnable(epoch, attempt, ExecutionState.CANCELLED, "its task was removed");
                continue;
            }
            Definitions.Known known = compiler.compile(attempt.app(), attempt.name(), attempt.definition());
            if (known.definition() == null) {
                outcomes.addUnrunnable(epoch, attempt, ExecutionState.FAILED, known.error());
            } else {
                runs.add(new Run(epoch, attempt, known.definition(), known.length(), generation));
            }
        }
        // Before they are let in: the outcome of a slot's earlier attempt may just be recorded, and would end their
        // count.
        hold(runs);
        runs.removeIf(this::isHeldBack);
        start(runs);
    }

    /** Nothing of it has begun, so it may as well wait in the ledger for room under its limits. */
    private boolean isHeldBack(Run run) {
        Limits limits = inFlight.limits();
        String full = limits.inUse() ? limits.enter(run.slot(), run.limitKeys(), clock.nowMillis()) : null;
        if (full == null) {
            return false;
        }
        if (run.endUnstarted()) {
            outcomes.addHeld(run, full);
        }
        return true;
    }

    /** What a stored definition means; null if it can't be read. */
    public TaskDefinition meaning(String app, String name, String definition) {
        return compiler.compile(app, name, definition).definition();
    }

    /** The slot was decided on and is not ours: it takes no room under limits, unless it is in this process's hands. */
    void notEntered(Slot slot) {
        if (!inFlight.holds(slot)) {
            inFlight.limits().leave(slot, false);
        }
    }

    /** So many due tasks have no room under a limit. */
    void waitForLimits(int tasks) {
        metrics.waitForLimits(tasks);
    }

    /** Orphans were settled so. */
    public void settled(List<Settlement> settled) {
        settled.forEach(metrics::settled);
    }

    /** What waited in the ledger is not run, because it may have run before. */
    void dropped(Set<Slot> slots) {
        slots.forEach(inFlight::retriesNoMore);
    }

    /** Slots were entered that nothing is run for. */
    void passedOver(LedgerEntry entry) {
        metrics.passedOver(entry);
    }
}
