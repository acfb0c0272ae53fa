package io.twinbell.node.engine.worker;

import io.twinbell.node.engine.decision.SlotDecision;
import io.twinbell.node.engine.handler.ErrorCodes;
import io.twinbell.node.engine.handler.HandlerOutcome;
import io.twinbell.node.engine.handler.HandlerRunner;
import io.twinbell.node.engine.handler.Parking;
import io.twinbell.node.engine.run.FirstFire;
import io.twinbell.node.engine.run.ReadRequests;
import io.twinbell.node.engine.run.Run;
import io.twinbell.node.engine.run.RunRegistry;
import io.twinbell.node.engine.step.Deadlines;
import io.twinbell.node.engine.task.OrphanPolicy;
import io.twinbell.node.engine.task.Overlap;
import io.twinbell.node.engine.task.TaskDefinition;
import io.twinbell.node.engine.trigger.ActionQueue;
import io.twinbell.node.engine.trigger.HeapAction;
import io.twinbell.persistence.clock.DatabaseClock;
import io.twinbell.persistence.ledger.ExecutionState;
import io.twinbell.persistence.ledger.record.LedgerWait;
import io.twinbell.persistence.ledger.recovery.RecoveryStore.CancelRequest;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Executes one run, from the start check to its outcome. The workers call it. */
public final class RunExecutor {
    private static final Logger LOG = LoggerFactory.getLogger(RunExecutor.class);
    private static final Duration RETRY_START = Duration.ofMillis(100);
    /** How long a handler may take to react to an interrupt before its thread is abandoned. */
    private static final Duration GRACE = Duration.ofSeconds(1);

    private static final int ERROR_LIMIT = 8192;

    private final StartCheck startCheck;
    private final DrainingTasks drainingTasks;
    private final RunRegistry registry;
    private final HandlerRunner handlers;
    private final Workers workers;
    private final OutcomeRecorder outcomes;
    private final ActionQueue actions;
    private final ReadRequests readRequests;
    private final ReplacedExecutions replaced;
    private final CallbackRuns callbackRuns;
    private final DatabaseClock clock;
    private final Deadlines deadlines;
    private final FirstFire firstFire;

    /**
     * @param outcomes gets the outcomes of runs
     * @param actions gets runs that start later
     * @param readRequests gets tasks whose claim a promoted database lacks
     * @param replaced gets executions that a newer slot replaces
     * @param callbackRuns gets runs whose outcome comes from outside
     * @param clock the clock of fire times
     * @param deadlines the timers for timeouts
     */
    public RunExecutor(
            StartCheck startCheck,
            DrainingTasks drainingTasks,
            RunRegistry registry,
            HandlerRunner handlers,
            Workers workers,
            OutcomeRecorder outcomes,
            ActionQueue actions,
            ReadRequests readRequests,
            ReplacedExecutions replaced,
            CallbackRuns callbackRuns,
            DatabaseClock clock,
            Deadlines deadlines,
            FirstFire firstFire) {
        this.startCheck = startCheck;
        this.drainingTasks = drainingTasks;
        this.registry = registry;
        this.handlers = handlers;
        this.workers = workers;
        this.outcomes = outcomes;
        this.actions = actions;
        this.readRequests = readRequests;
        this.replaced = replaced;
        this.callbackRuns = callbackRuns;
        this.clock = clock;
        this.deadlines = deadlines;
        this.firstFire = firstFire;
    }

    public void perform(Run run) {
        if (!run.isWaiting()) {
            if (run.isParked() && run.callbackState().isCallDue()) {
                performParked(run);
            }
            return;
        }
        switch (startCheck.check(run)) {
            case OPEN -> start(run);
            case SUPERSEDED -> handBack(run);
            case VANISHED -> forget(run);
            case UNKNOWN -> startLater(run);
        }
    }

    /** Calls the handler of a run that is parked now. Parking took a write, so the authority is checked again. */
    private void performParked(Run run) {
        switch (startCheck.check(run)) {
            case OPEN -> {
                if (run.callbackState().takeCall()) {
                    call(run, null);
                }
            }
            case SUPERSEDED -> dropParked(run);
            case VANISHED -> {
                dropParked(run);
                readRequests.changed(run.slot().taskId());
            }
            case UNKNOWN -> {
                if (startCheck.isHandedOver(run.epoch())) {
                    dropParked(run);
                } else {
                    deadlines.after(RETRY_START, () -> workers.run(List.of(run)));
                }
            }
        }
    }

    /** Calls the handlers of runs that are parked now. */
    public void callParked(List<Run> runs) {
        workers.run(runs);
    }

    /** Removes a parked run without an outcome: the ledger has it, and its master settles or adopts it. */
    public void dropParked(Run run) {
        if (run.end()) {
            registry.exit(run);
            registry.remove(run);
        }
    }

    /**
     * Hands back and removes a run that has not started; returns false if it has. This node may become master again,
     * and then needs the room.
     */
    private boolean handBack(Run run) {
        boolean wasWaiting = run.handBack();
        if (wasWaiting) {
            registry.remove(run);
        }
        return wasWaiting;
    }

    /**
     * Forgets a run whose claim the promoted database lacks. Its slot is free again there, so the task is read again.
     */
    private void forget(Run run) {
        if (handBack(run)) {
            LOG.warn(
                    "the promoted database lacks the claim of {} at {}, attempt {}: it does not start",
                    run.attempt().name(),
                    run.slot().fireTime(),
                    run.attempt().attempt());
            readRequests.changed(run.slot().taskId());
        }
    }

    private void startLater(Run run) {
        deadlines.after(RETRY_START, () -> actions.add(new HeapAction.Start(List.of(run))));
    }

    private void start(Run run) {
        long nowMicros = clock.nowMicros();
        if (nowMicros < run.slot().fireTimeMillis() * 1000) {
            // The database's clock was set back after the trigger started the run: the trigger starts it again at its
            // fire time.
            actions.add(new HeapAction.Start(List.of(run)));
            return;
        }
        if (expires(run, nowMicros / 1000) || waitsForItsHandler(run, nowMicros)) {
            return;
        }
        if (!registry.overlap().tryEnter(run) && !mayEnterAfterALook(run)) {
            applyOverlap(run);
            return;
        }
        if (!run.begin(nowMicros)) {
            registry.exit(run);
            return;
        }
        registry.limits().started(run.slot(), run.startedMillis());
        firstFire.started(run);
        if (run.definition().handler().awaitsCallback()) {
            // The receiver may answer at once, so the token is stored before the call. The database applies the
            // timeout.
            run.beginParking(true);
            callbackRuns.add(run);
            return;
        }
        Duration timeout = run.definition().timeout();
        Future<?> deadline = timeout == null ? null : deadlines.after(timeout, () -> timeOut(run, timeout));
        call(run, deadline);
    }

    /**
     * Whether the run was refused only because of a former master that has ended its run of the task since. An epoch
     * that is handed over drains itself, so its own runs would be found.
     */
    private boolean mayEnterAfterALook(Run run) {
        return !startCheck.isHandedOver(run.epoch())
                && drainingTasks.hasEnded(run)
                && registry.overlap().tryEnter(run);
    }

    /**
     * Later attempts do not expire, because the slot has started. Definitions of requested runs have no expireAfter.
     */
    private boolean expires(Run run, long nowMillis) {
        TaskDefinition definition = run.definition();
        boolean isExpired =
                run.attempt().attempt() == 1 && definition.isExpired(run.slot().fireTimeMillis(), nowMillis);
        if (isExpired && run.endUnstarted()) {
            outcomes.add(run, HandlerOutcome.missed(SlotDecision.expired(definition.expireAfter())));
        }
        return isExpired;
    }

    /**
     * Makes a run whose handler this node lacks wait in the ledger for a master that has it. It has not begun, and this
     * node may be restarted meanwhile.
     */
    private boolean waitsForItsHandler(Run run, long nowMicros) {
        String lacking = handlers.lacks(run.definition().handler());
        long untilMillis =
                run.slot().fireTimeMillis() + handlers.waitForMissing().toMillis();
        if (lacking == null || nowMicros >= untilMillis * 1000) {
            return false;
        }
        if (run.endUnstarted()) {
            outcomes.addWaitingFor(run, LedgerWait.lackingHandler(lacking));
        }
        return true;
    }

    /**
     * Called if another run of the task is unfinished. A run that waits its turn, or cancels the other, is tried again.
     */
    private void applyOverlap(Run run) {
        Overlap overlap = run.definition().overlap();
        if (run.waitsItsTurn()) {
            startLater(run);
        } else if (overlap == Overlap.QUEUE) {
            if (run.queue()) {
                outcomes.addQueueing(run);
            }
        } else if (overlap == Overlap.CANCEL_RUNNING) {
            cancelOthers(run);
            startLater(run);
        } else if (run.endUnstarted()) {
            outcomes.add(run, HandlerOutcome.skipped("an earlier execution of this task was still running"));
        }
    }

    /**
     * Cancels runs of the task that are running, earlier ones that have not started, and those that wait for another
     * attempt.
     */
    private void cancelOthers(Run run) {
        String reason = "cancelled: the slot of " + run.slot().fireTime() + " takes its place";
        for (Run other : registry.of(run.slot().taskId())) {
            boolean isBefore = other.slot().fireTimeMillis() < run.slot().fireTimeMillis();
            if (other != run && (other.isRunning() || isBefore)) {
                cancel(other, reason);
            }
        }
        registry.overlap().retrying(run.slot().taskId()).stream()
                .filter(slot -> !registry.contains(slot))
                .forEach(slot -> replaced.add(new CancelRequest(slot, reason)));
    }

    /** Whatever a handler throws, Errors included, fails only its own run. */
    private void call(Run run, Future<?> deadline) {
        CompletableFuture<HandlerOutcome> future = null;
        try {
            if (run.enter(Thread.currentThread())) {
                future = handlers.start(run.call(callbackRuns)).toCompletableFuture();
            }
        } catch (Throwable thrown) {
            future = CompletableFuture.failedFuture(thrown);
        } finally {
            run.leave(future);
        }
        if (future == null) {
            end(run, deadline, HandlerOutcome.failed(ErrorCodes.INTERRUPTED, "stopped before the start", null));
        } else if (future.isDone() && !future.isCompletedExceptionally()) {
            // The usual case, without the cost of a capturing callback.
            end(run, deadline, future.join());
        } else {
            future.whenComplete((outcome, thrown) -> end(
                    run,
                    deadline,
                    thrown == null
                            ? outcome
                            : HandlerOutcome.failed(ErrorCodes.of(thrown, run.isStopped()), describe(thrown), null)));
        }
    }

    private void end(Run run, Future<?> deadline, HandlerOutcome outcome) {
        if (deadline != null) {
            deadline.cancel(false);
        }
        if (run.isParked()) {
            endCallOfParked(run, outcome);
        } else if (run.end()) {
            HandlerOutcome limited = RetryDecision.limited(run.attempt(), run.verdictOr(outcome), clock.nowMillis());
            finish(run, limited, clock.nowMicros());
        }
    }

    private void endCallOfParked(Run run, HandlerOutcome outcome) {
        HandlerOutcome verdict = run.verdictOr(outcome);
        if (run.isLeftToSuccessor() && !verdict.isParked() && verdict.state() != ExecutionState.SUCCEEDED) {
            dropParked(run);
        } else if (verdict.isParked()) {
            callbackRuns.accepted(run);
        } else {
            callbackRuns.end(run, RetryDecision.limited(run.attempt(), verdict, clock.nowMillis()));
        }
    }

    /**
     * Ends a parked run with the outcome that the database has.
     *
     * @param endedMicros when it was answered, by the database's clock
     */
    public void endParked(Run run, HandlerOutcome outcome, long endedMicros) {
        if (run.end()) {
            finish(run, outcome, Math.max(endedMicros, run.startedMicros()));
        }
    }

    /** Ends a parked run now. */
    public void endParked(Run run, HandlerOutcome outcome) {
        if (run.end()) {
            finish(run, outcome, clock.nowMicros());
        }
    }

    private void finish(Run run, HandlerOutcome outcome, long endedMicros) {
        if (leave(run, outcome, endedMicros)) {
            outcomes.add(run, outcome, endedMicros);
        }
    }

    /** Returns whether the outcome is to be recorded. */
    private boolean leave(Run run, HandlerOutcome outcome, long endedMicros) {
        if (run.isLeftToSuccessor() && outcome.state() != ExecutionState.SUCCEEDED) {
            registry.exit(run);
            registry.remove(run);
            return false;
        }
        if (RetryDecision.isRetried(run, outcome)) {
            // Noted before another slot of the task can start.
            registry.overlap().willRetry(run.slot());
        }
        if (handlers.observesOutcomes()) {
            // The same end as in the record, so that observers get the time at which the row is due.
            handlers.ended(
                    run.call(Parking.NONE), outcome, RetryDecision.nextAttempt(run, outcome, endedMicros / 1000));
        }
        registry.exit(run);
        return true;
    }

    /** Ends the run as CANCELLED: at once if it has not started, else by interrupting its handler. */
    public void cancel(Run run, String reason) {
        HandlerOutcome cancelled = HandlerOutcome.cancelled(reason);
        if (run.endUnstarted()) {
            outcomes.add(run, cancelled);
        } else if (run.isRunning()) {
            stop(run, () -> run.stop(cancelled), cancelled);
        }
    }

    private void timeOut(Run run, Duration timeout) {
        if (run.isRunning() && !run.isAccepted()) {
            HandlerOutcome timedOut = HandlerOutcome.timedOut("did not end within " + timeout);
            stop(run, () -> run.stop(timedOut), timedOut);
        }
    }

    /**
     * Removes the run without an outcome of its own and interrupts its handler. The caller settles the row.
     *
     * @return false if the run has just ended by itself
     */
    public boolean giveUp(Run run) {
        if (handBack(run)) {
            return true;
        }
        if (!run.end()) {
            return false;
        }
        registry.exit(run);
        registry.remove(run);
        stop(run);
        return true;
    }

    /** Interrupts the run's handler, because the node stops or the epoch is superseded. */
    void stop(Run run) {
        stop(run, run::stop, HandlerOutcome.failed(ErrorCodes.INTERRUPTED, "interrupted", null));
    }

    /**
     * Interrupts the run's handler because this node has handed over. With the orphan policy RERUN the interrupted run
     * does not fail: it gets no outcome, and the successor runs it again.
     */
    public void release(Run run) {
        boolean reruns = run.definition().orphan() == OrphanPolicy.RERUN;
        stop(
                run,
                reruns ? run::leaveToSuccessor : run::stop,
                HandlerOutcome.failed(ErrorCodes.INTERRUPTED, "interrupted", null));
    }

    /**
     * The run ends when its handler returns from the thread, so that no other run of its task starts beside it. If the
     * handler does not return, its thread is abandoned and replaced.
     */
    private void stop(Run run, Runnable interrupt, HandlerOutcome otherwise) {
        interrupt.run();
        if (run.isParked() && !run.isOnThread()) {
            endCallOfParked(run, otherwise);
            return;
        }
        deadlines.after(GRACE, () -> {
            if (run.isOnThread()) {
                boolean isReplaced = workers.replaceWorkerOf(run);
                HandlerOutcome outcome = abandoned(run.verdictOr(otherwise), isReplaced);
                if (run.isParked()) {
                    endCallOfParked(run, outcome);
                } else if (run.end()) {
                    finish(run, outcome, clock.nowMicros());
                }
            }
        });
    }

    private static HandlerOutcome abandoned(HandlerOutcome outcome, boolean isReplaced) {
        String what = "the handler did not react to the interrupt within " + GRACE + ", and its thread "
                + (isReplaced ? "was abandoned" : "could not be replaced: too many are abandoned");
        return new HandlerOutcome(
                outcome.state(),
                outcome.output(),
                new HandlerOutcome.Failure(
                        outcome.errorCode() == null ? ErrorCodes.INTERRUPTED : outcome.errorCode(),
                        outcome.error() == null ? what : outcome.error() + "; " + what),
                outcome.reason());
    }

    private static String describe(Throwable thrown) {
        if (thrown instanceof CancellationException) {
            return "interrupted";
        }
        String text = stackOf(thrown);
        return text.length() <= ERROR_LIMIT ? text : text.substring(0, ERROR_LIMIT);
    }

    /** The exception's message is computed by the handler's own code, and may throw as well. */
    private static String stackOf(Throwable thrown) {
        try {
            StringWriter stack = new StringWriter();
            thrown.printStackTrace(new PrintWriter(stack));
            return stack.toString();
        } catch (RuntimeException | Error e) {
            return thrown.getClass().getName() + ", whose message cannot be read";
        }
    }
}
