package io.twinbell.node.engine;

import io.twinbell.ha.role.Duties;
import io.twinbell.ha.role.Predecessor;
import io.twinbell.node.calendar.CalendarBook;
import io.twinbell.node.handler.Runner;
import io.twinbell.node.loop.Loops;
import io.twinbell.persistence.calendar.CalendarSource;
import io.twinbell.persistence.cluster.FiringPauses.Pause;
import io.twinbell.persistence.database.DatabaseUnavailableException;
import io.twinbell.persistence.database.MeasuredClock;
import io.twinbell.persistence.database.Ticker;
import io.twinbell.persistence.epoch.Doubt;
import io.twinbell.persistence.epoch.Epoch;
import io.twinbell.persistence.epoch.EpochRegister;
import io.twinbell.persistence.ledger.ClaimCheck;
import io.twinbell.persistence.ledger.DueTasks;
import io.twinbell.persistence.ledger.Ledger;
import io.twinbell.persistence.ledger.Recorder;
import io.twinbell.persistence.ledger.Recovery;
import io.twinbell.persistence.ledger.ReportWriter;
import io.twinbell.persistence.limit.LimitSource;
import io.twinbell.persistence.task.Arrivals;
import io.twinbell.persistence.task.Leaps;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * What fires: trigger, claimer, workers and recorder, put together. Each has a step; {@link #start} puts threads around
 * them, and a test may step them itself instead.
 */
public final class Engine implements Duties, AutoCloseable {
    private static final Duration SETTLE_AGAIN = Duration.ofMillis(500);
    private static final int ACTION_CAPACITY = 10_000;

    private final MeasuredClock clock;
    private final Ticker ticker;
    private final EngineMetrics metrics;
    private final Loops loops;
    private final ActionQueue actions = new ActionQueue(ACTION_CAPACITY);
    private final SystemTasks systemTasks;
    private final InFlight inFlight;
    private final Deadlines deadlines;
    private final Performer performer;
    private final Workers workers;
    private final Trigger trigger;
    private final ReadAhead ahead;
    private final TableReads table;
    private final Claimer claimer;
    private final Outcomes outcomes;
    private final Settling settling;
    private final Parts parts;
    private final Releasing releasing;
    private final Cancelling cancelling;
    private final HandBack handBack;
    private final CalendarBook calendars;
    private final HeldFiring held;
    private final LimitReads limits;
    private final Gate gate;
    private final LagMeter lag;
    private final Stepper triggerThread;
    private final Stepper claimerThread;
    private final Stepper recorderThread;
    private final Stepper startsThread;
    private final Stepper readerThread;
    private volatile Epoch firing;
    private volatile Fence onFenced = (epoch, writes) -> {};

    /** The ports, on connections of their own where none may wait for another. Doubt is asked when an epoch begins. */
    public record Ports(
            EpochRegister gateRegister,
            Ledger ledger,
            DueTasks dueTasks,
            DueTasks readAhead,
            Recorder recorder,
            ReportWriter reports,
            Recovery recovery,
            Arrivals arrivals,
            Leaps leaps,
            Supplier<List<Pause>> pauses,
            CalendarSource calendars,
            LimitSource limits,
            ClaimCheck claimCheck,
            Doubt.Source doubt) {}

    /**
     * @param workers threads for handlers
     * @param maxInFlight how many runs this process takes on at once
     * @param retention how long the ledger keeps a day
     */
    public record Bounds(int workers, int maxInFlight, Duration retention) {}

    /** The database's clock as it is measured, and this machine's three; of two tickers, one counts its sleep. */
    public record Clocks(MeasuredClock database, Ticker monotonic, Ticker uptime, InstantSource wall) {}

    public Engine(Ports ports, Bounds bounds, Clocks clocks, Runner handlers, EngineMetrics metrics) {
        this(ports, bounds, clocks, handlers, metrics, Drive.THREADS);
    }

    Engine(Ports ports, Bounds bounds, Clocks clocks, Runner handlers, EngineMetrics metrics, Drive drive) {
        clock = clocks.database();
        ticker = clocks.monotonic();
        this.metrics = metrics;
        loops = metrics.loops();
        parts = new Parts(loops);
        deadlines = drive.deadlines();
        held = new HeldFiring(ports.pauses(), ports.doubt(), clock, deadlines, this::pauseChanged);
        systemTasks = new SystemTasks(actions, clock, loops);
        Backpressure backpressure = new Backpressure(bounds.workers(), ticker);
        inFlight = new InFlight(InFlight.Bounds.of(bounds.maxInFlight()), backpressure);
        Trust trust = new Trust(ticker, clocks.uptime(), clocks.wall());
        gate = new Gate(trust, ports.gateRegister(), this::fenced, ports.claimCheck());
        outcomes = new Outcomes(ports.recorder(), inFlight, clock, this::fenced, metrics);
        outcomes.confirmsTo(ports.claimCheck());
        outcomes.keeps(new Reports(ports.reports(), inFlight, clock, loops.loop("reports")));
        performer = new Performer(gate, inFlight, handlers, outcomes, clock, actions, deadlines);
        workers = drive.workers(bounds.workers(), () -> backpressure.timing(performer::perform), systemTasks::run);
        performer.onStuck(workers::replaceWorkerOf);
        performer.onStart(metrics.firstFire()::started);
        performer.onVanished(this::changed);
        DueInbox due = new DueInbox();
        LookAhead lookAhead = new LookAhead(ticker, inFlight::roomSoon);
        calendars = new CalendarBook(ports.calendars());
        DefinitionCompiler compiler = new DefinitionCompiler(calendars);
        Intake intake = new Intake(inFlight, actions, outcomes, metrics, compiler, clock, ports.claimCheck());
        limits = new LimitReads(ports.limits(), inFlight, clock, loops.loop("limited-starts"));
        TimeSources measured = new TimeSources(clock, ticker);
        ahead = new ReadAhead(ports.readAhead(), compiler, ReadAhead.PATIENCE);
        table = new TableReads(ports.dueTasks(), actions, measured, compiler, ahead);
        claimer = new Claimer(
                ports.ledger(),
                new Claimer.Reads(table, limits),
                trust,
                intake,
                new Claimer.Lane(due, actions, lookAhead, loops.loop("claimer")),
                () -> held.world(bounds.retention()),
                this::fenced);
        handBack = new HandBack(ports.ledger(), ports.claimCheck(), inFlight, workers, ticker);
        settling = new Settling(
                ports.recovery(),
                new Reception(ports.arrivals(), ports.leaps(), calendars),
                inFlight,
                intake,
                measured,
                this::changed,
                new Settling.Claims(claimer::isInDoubt, held::isHeld));
        releasing = new Releasing(ports.recovery(), inFlight, performer);
        cancelling = new Cancelling(ports.recovery(), inFlight, performer);
        performer.onReplaced(request -> {
            cancelling.ask(request);
            systemTasks.soon(SystemTasks.SETTLE);
        });
        Crowd crowd = new Crowd(workers::queued);
        RoomForCrowds roomy = new RoomForCrowds(claimer::step, due, crowd, clock, inFlight::size, drive.memory());
        claimerThread =
                drive.stepper(loops.loop("claimer"), CrowdFirst.claiming(roomy::step, crowd, due, clock, ticker)::step);
        trigger = new Trigger(actions, due, claimerThread::wake, lookAhead, workers, crowd, metrics::heapMiss);
        lag = new LagMeter(trigger, due, claimer::waitingSince, inFlight, workers, lookAhead, measured);
        triggerThread = drive.stepper(loops.loop("trigger"), () -> trigger.step(clock.nowNanos()));
        recorderThread = drive.stepper(loops.loop("recorder"), CrowdFirst.recording(outcomes, crowd, ticker)::step);
        startsThread = drive.stepper(loops.loop("limited-starts"), limits::learn);
        readerThread = drive.stepper(loops.loop("read-ahead"), ahead::step);
        ahead.wakes(readerThread::wake);
        limits.wakes(claimerThread::wake, startsThread::wake);
        actions.wakes(triggerThread::wake);
        outcomes.wakes(recorderThread::wake, this::changed);
        outcomes.makesRoom(claimerThread::wake);
        inFlight.tells(this::changed);
    }

    /** Who steps the node down when a write was refused. */
    public void onFenced(Consumer<Epoch> stepDown) {
        onFenced = (epoch, writes) -> stepDown.accept(epoch);
    }

    /** Everything in this node that tries again after an error. */
    public Loops loops() {
        return loops;
    }

    public SystemTasks systemTasks() {
        return systemTasks;
    }

    public void start() {
        workers.start();
        recorderThread.start();
        startsThread.start();
        readerThread.start();
        claimerThread.start();
        triggerThread.start();
    }

    private void fenced(Epoch epoch, int writes) {
        metrics.fenced(writes);
        onFenced.superseded(epoch, writes);
    }

    @Override
    public void take(Epoch epoch, Predecessor predecessor) {
        // A machine that has slept may not have asked for the time since: the opening tells it.
        clock.atLeast(epoch.openedAtMillis() * 1000);
        settling.lookAtDraining();
        settling.begin(predecessor);
        held.begin(predecessor);
        // Before the first page is read: what is written while it is read must not go unheard.
        firing = epoch;
        claimer.begin(epoch);
        metrics.firstFire().begin(epoch, clock.nowMillis());
        applyPause();
        claimerThread.wake();
        systemTasks.soon(SystemTasks.SETTLE);
    }

    @Override
    public void stopClaiming(Epoch epoch) {
        firing = null;
        applyPause();
        systemTasks.cancel(SystemTasks.SETTLE);
        claimer.stop();
        actions.add(new Action.Clear());
    }

    @Override
    public void handBack(Epoch epoch) {
        handBack.unstarted(epoch);
        outcomes.tryAllAgain();
    }

    @Override
    public boolean isFinished(Epoch epoch) {
        return !inFlight.hasAny(epoch);
    }

    @Override
    public void interrupt(Epoch epoch) {
        for (Run run : inFlight.of(epoch)) {
            if (run.handBack()) {
                inFlight.remove(run);
            } else {
                performer.release(run);
            }
        }
        workers.forgetHandedBack();
    }

    /** One pass of settling; {@code null} if this node is not firing. A system task. */
    public Duration settle() {
        Epoch epoch = firing;
        try {
            if (epoch == null) {
                return null;
            }
            boolean isCancelling = parts.ask("cancel", () -> cancelling.step(epoch));
            parts.run("release", () -> settling.release(epoch, releasing.step(epoch)));
            Duration again = settling.step(epoch);
            return isCancelling ? Cancelling.AGAIN : again;
        } catch (DatabaseUnavailableException e) {
            systemTasks.loop(SystemTasks.SETTLE).failed(e);
            return SETTLE_AGAIN;
        }
    }

    /**
     * The ways of a master, gone without authority so that a promotion finds connections open, statements prepared and
     * code compiled. They change nothing: the epoch is nobody's. In parts, since whoever goes them may be needed.
     */
    public List<Runnable> warmUps() {
        return List.of(claimer::warmUp, ahead::warmUp, settling::warmUp, outcomes::warmUp, gate::warmUp);
    }

    /** What the heartbeat does besides beating: looks whether the heap lacks what the table says is overdue. */
    public void reconcile() {
        outcomes.addLongRuns();
        table.checkOverdue();
        claimer.pendingChanged();
        claimerThread.wake();
    }

    /** These tasks were written by somebody: what a standby has learned of them is out of date as well. */
    public void changed(long... taskIds) {
        table.changed(taskIds);
        if (firing != null) {
            claimerThread.wake();
        }
    }

    /** The clock that system tasks are due by has jumped. */
    public void clockJumped() {
        if (firing != null) {
            // A pause of the cluster may have come to its end by it.
            pauseChanged();
        }
    }

    /** A calendar was written by somebody: what is claimed from now on goes by it. */
    public void calendarsChanged() {
        calendars.outdated();
    }

    /** A limit was set or lifted: it binds what starts from now on. */
    public void limitsChanged() {
        limits.changed();
        claimerThread.wake();
    }

    /** Notifications may have been lost. */
    public void everythingChanged() {
        calendars.outdated();
        limitsChanged();
        if (firing != null) {
            table.everythingChanged();
            ledgerChanged();
        }
    }

    /** Pending rows or passed slots were entered. */
    public void ledgerChanged() {
        if (firing != null) {
            claimer.pendingChanged();
            claimerThread.wake();
            systemTasks.soon(SystemTasks.SETTLE);
        }
    }

    /** Reads whether firing is held. On the system worker. */
    public void refreshPauses() {
        if (held.read()) {
            pauseChanged();
        }
    }

    private void pauseChanged() {
        applyPause();
        ledgerChanged();
        systemTasks.soon(SystemTasks.SETTLE);
    }

    public boolean isPaused() {
        return held.isHeld();
    }

    /** One at a time, so that the last word is about what holds last. */
    private synchronized void applyPause() {
        lag.begin();
        trigger.fire(firing != null && !held.isHeld());
        triggerThread.wake();
        held.lookAgainAtItsEnd();
    }

    public int heapSize() {
        return trigger.heapSize();
    }

    /** How late the firing is now, from memory. */
    public FiringLag lag() {
        return lag.look();
    }

    /** The soonest fire time of all tasks as a standby last saw it; {@link Long#MAX_VALUE} for none. */
    public long soonestSeenMillis() {
        return table.soonestSeenMillis();
    }

    public long lastRebuildMillis() {
        return table.lastRebuildMillis();
    }

    public int actionDepth() {
        return actions.depth();
    }

    public int actionCapacity() {
        return actions.capacity();
    }

    public WorkerCounts workers() {
        return workers;
    }

    public int runsInFlight() {
        return inFlight.size();
    }

    @Override
    public void close() {
        triggerThread.close();
        claimerThread.close();
        readerThread.close();
        startsThread.close();
        workers.stop();
        recorderThread.close();
        deadlines.close();
    }
}
