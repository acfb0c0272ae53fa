package io.twinbell.node.engine;

import io.twinbell.node.engine.claim.ClaimedRuns;
import io.twinbell.node.engine.claim.Claimer;
import io.twinbell.node.engine.claim.LimitSync;
import io.twinbell.node.engine.definition.HeapTableSync;
import io.twinbell.node.engine.handler.HandlerRunner;
import io.twinbell.node.engine.run.Backpressure;
import io.twinbell.node.engine.run.EngineMetrics;
import io.twinbell.node.engine.run.FirstFire;
import io.twinbell.node.engine.run.ReadRequests;
import io.twinbell.node.engine.run.RunRegistry;
import io.twinbell.node.engine.settle.CallbackAttempts;
import io.twinbell.node.engine.settle.ExecutionRequests;
import io.twinbell.node.engine.settle.HandBack;
import io.twinbell.node.engine.settle.Settler;
import io.twinbell.node.engine.step.BatchWindow;
import io.twinbell.node.engine.step.Deadlines;
import io.twinbell.node.engine.step.EngineClocks;
import io.twinbell.node.engine.step.EngineEvent;
import io.twinbell.node.engine.step.Stepper;
import io.twinbell.node.engine.step.SupersededListener;
import io.twinbell.node.engine.step.TrustWindow;
import io.twinbell.node.engine.task.TaskCompiler;
import io.twinbell.node.engine.trigger.ActionQueue;
import io.twinbell.node.engine.trigger.DueInbox;
import io.twinbell.node.engine.trigger.LookAhead;
import io.twinbell.node.engine.trigger.SystemTasks;
import io.twinbell.node.engine.trigger.Trigger;
import io.twinbell.node.engine.worker.CallbackRuns;
import io.twinbell.node.engine.worker.DrainingTasks;
import io.twinbell.node.engine.worker.OutcomeRecorder;
import io.twinbell.node.engine.worker.ReplacedExecutions;
import io.twinbell.node.engine.worker.RunExecutor;
import io.twinbell.node.engine.worker.StartCheck;
import io.twinbell.node.engine.worker.Workers;
import io.twinbell.node.loop.Loops;
import io.twinbell.node.loop.Signals;
import io.twinbell.persistence.clock.MeasuredClock;

/**
 * The parts of an engine, each with the parts that it uses: first what all share, then running, claiming and settling,
 * last the threads. Tests and the simulation assemble them in the same way, with a {@link ThreadModel} and ports of
 * their own, and step them by hand.
 */
final class EngineAssembly {
    private static final int ACTION_CAPACITY = 10_000;

    final Signals<EngineEvent> signals = new Signals<>(EngineEvent.class);
    final ActionQueue actions = new ActionQueue(ACTION_CAPACITY, signals);
    final ReadRequests readRequests = new ReadRequests(signals);
    final DueInbox due = new DueInbox();
    final EngineClocks clocks;
    final EngineMetrics metrics;
    final Deadlines deadlines;
    final Backpressure backpressure;
    final RunRegistry registry;
    final SystemTasks systemTasks;
    final FirstFire firstFire;

    final Workers workers;
    final Trigger trigger;
    final StartCheck startCheck;
    final DrainingTasks drainingTasks;
    final OutcomeRecorder outcomes;
    final RunExecutor executor;

    final TaskCompiler compiler;
    final FiringPauseState pause;
    final LimitSync limits;
    final HeapTableSync table;
    final Claimer claimer;

    final Settler settler;
    final ExecutionRequests requests;
    final CallbackAttempts callbackAttempts;
    final HandBack handBack;

    final LagMeter lag;

    final Stepper triggerThread;
    final Stepper claimerThread;
    final Stepper recorderThread;
    /** Reads which runs started before this epoch, for rate limits. */
    final Stepper limitHistoryThread;

    /** Parks runs, and applies the answers to parked runs. */
    final Stepper callbackThread;

    EngineAssembly(
            EnginePorts ports,
            EngineBounds bounds,
            EngineClocks clocks,
            HandlerRunner handlers,
            EngineMetrics metrics,
            EngineListener listener,
            ThreadModel threads) {
        this.clocks = clocks;
        this.metrics = metrics;
        MeasuredClock clock = clocks.database();
        Loops loops = metrics.loops();
        deadlines = threads.deadlines();
        backpressure = new Backpressure(bounds.workers(), clocks.monotonic());
        registry = new RunRegistry(
                RunRegistry.Bounds.of(bounds.maxInFlight(), bounds.firesPerMinute()), backpressure, readRequests);
        metrics.countAppsAtQuota(() -> registry.limits().appsAtQuota(clock.nowMillis()));
        systemTasks = new SystemTasks(actions, clock, loops);
        firstFire = new FirstFire(listener::firstFired);
        ReplacedExecutions replaced = new ReplacedExecutions(signals);
        CallbackRuns callbackRuns = new CallbackRuns(registry, signals);
        LookAhead lookAhead = new LookAhead(clocks.monotonic(), registry::startableSoon);
        TrustWindow trust = new TrustWindow(clocks.monotonic(), clocks.uptime(), clocks.wall());
        SupersededListener superseded = (epoch, writes) -> {
            metrics.fenced(writes);
            listener.superseded(epoch, writes);
        };

        // From the fire time of a claimed run to its recorded outcome.
        workers = threads.workers(bounds.workers());
        trigger = new Trigger(actions, due, signals, lookAhead, workers, metrics::heapMiss);
        startCheck = new StartCheck(trust, ports.startCheckRegister(), superseded, ports.claimJournal());
        drainingTasks = new DrainingTasks(ports.startRecovery(), registry, clock);
        outcomes = new OutcomeRecorder(
                ports.recorder(),
                ports.reports(),
                ports.claimJournal(),
                registry,
                clocks.measured(),
                superseded,
                metrics,
                signals,
                readRequests);
        executor = new RunExecutor(
                startCheck,
                drainingTasks,
                registry,
                handlers,
                workers,
                outcomes,
                actions,
                readRequests,
                replaced,
                callbackRuns,
                clock,
                deadlines,
                firstFire);

        // From a due task to a claimed run.
        compiler = ports.compiler();
        pause = new FiringPauseState(
                ports.pauses(), ports.doubt(), clock, deadlines, () -> signals.raise(EngineEvent.PAUSE_ENDED));
        ClaimedRuns claimedRuns =
                new ClaimedRuns(registry, actions, outcomes, metrics, compiler, clock, ports.claimJournal());
        limits = new LimitSync(ports.limits(), registry, clock, loops.loop("limited-starts"), signals);
        table = new HeapTableSync(ports.dueTasks(), readRequests, actions, clocks.measured(), compiler);
        claimer = new Claimer(
                ports.ledger(),
                table,
                limits,
                trust,
                registry,
                claimedRuns,
                due,
                actions,
                lookAhead,
                metrics,
                () -> pause.world(bounds.retention()),
                superseded);

        // What earlier masters and clients left.
        settler = new Settler(
                ports.recovery(),
                drainingTasks,
                ports.sqlArrivals(),
                registry,
                claimedRuns,
                compiler,
                metrics,
                clocks.measured(),
                readRequests,
                claimer::hasUnansweredClaim,
                pause::isPaused);
        requests = new ExecutionRequests(ports.recovery(), registry, executor, replaced);
        callbackAttempts = new CallbackAttempts(
                ports.callbacks(),
                callbackRuns,
                registry,
                executor,
                claimedRuns,
                superseded,
                limits::changed,
                readRequests::changed,
                clocks.monotonic(),
                loops.loop("parked"));
        handBack = new HandBack(ports.ledger(), ports.claimJournal(), registry, workers, clocks.measured());

        lag = new LagMeter(trigger, due, claimer::waitingSince, registry, workers, lookAhead, clocks.measured());
        BatchWindow recorded = new BatchWindow(outcomes::step, outcomes::isFull, clocks.monotonic());
        triggerThread = threads.stepper(loops.loop("trigger"), () -> trigger.step(clock.nowNanos()));
        claimerThread = threads.stepper(loops.loop("claimer"), claimer::step);
        recorderThread = threads.stepper(loops.loop("recorder"), recorded::step);
        limitHistoryThread = threads.stepper(loops.loop("limited-starts"), limits::readLimits);
        callbackThread = threads.stepper(loops.loop("parked"), callbackAttempts::step);
    }
}
