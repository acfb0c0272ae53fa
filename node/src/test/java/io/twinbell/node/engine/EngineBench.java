package io.twinbell.node.engine;

import com.codahale.metrics.MetricRegistry;
import io.twinbell.ha.role.Predecessor;
import io.twinbell.handler.ScopedInterceptor;
import io.twinbell.handler.TaskContext;
import io.twinbell.handler.TaskHandler;
import io.twinbell.node.calendar.CalendarBook;
import io.twinbell.node.calendar.store.DedicatedCalendarSource;
import io.twinbell.node.compile.DefinitionCompiler;
import io.twinbell.node.compile.SqlArrivals;
import io.twinbell.node.compile.store.JdbcSkippedRanges;
import io.twinbell.node.compile.store.JdbcSqlArrivalSource;
import io.twinbell.node.engine.claim.Claimer;
import io.twinbell.node.engine.claim.LimitSync;
import io.twinbell.node.engine.definition.HeapTableSync;
import io.twinbell.node.engine.run.ReadRequests;
import io.twinbell.node.engine.run.RunRegistry;
import io.twinbell.node.engine.settle.ExecutionRequests;
import io.twinbell.node.engine.settle.Settler;
import io.twinbell.node.engine.step.EngineClocks;
import io.twinbell.node.engine.task.TaskCompiler;
import io.twinbell.node.engine.trigger.SystemTasks;
import io.twinbell.node.engine.trigger.Trigger;
import io.twinbell.node.engine.worker.DrainingTasks;
import io.twinbell.node.engine.worker.OutcomeRecorderTest;
import io.twinbell.node.handler.intercept.InterceptedRunner;
import io.twinbell.node.loop.Loops;
import io.twinbell.node.memory.NoCallbacks;
import io.twinbell.node.metrics.NodeMetrics;
import io.twinbell.persistence.clock.MeasuredClock;
import io.twinbell.persistence.cluster.Pause;
import io.twinbell.persistence.database.DatabaseSettings;
import io.twinbell.persistence.database.DedicatedConnection;
import io.twinbell.persistence.epoch.DoubtWindow;
import io.twinbell.persistence.epoch.Epoch;
import io.twinbell.persistence.epoch.EpochRegister;
import io.twinbell.persistence.epoch.JdbcEpochRegister;
import io.twinbell.persistence.ledger.PackedSlots;
import io.twinbell.persistence.ledger.claim.ClaimOutcome;
import io.twinbell.persistence.ledger.claim.DecidedSlot;
import io.twinbell.persistence.ledger.claim.JdbcDueTasks;
import io.twinbell.persistence.ledger.claim.JdbcLedger;
import io.twinbell.persistence.ledger.claim.Ledger;
import io.twinbell.persistence.ledger.journal.ClaimJournal;
import io.twinbell.persistence.ledger.record.JdbcRecorder;
import io.twinbell.persistence.ledger.record.JdbcReportWriter;
import io.twinbell.persistence.ledger.recovery.JdbcRecoveryStore;
import io.twinbell.persistence.ledger.recovery.RecoveryStore;
import io.twinbell.persistence.limit.JdbcLimitSource;
import io.twinbell.persistence.testing.HandTicker;
import io.twinbell.persistence.testing.TestDouble;
import io.twinbell.persistence.testing.TestPostgres;
import io.twinbell.persistence.testing.TestSettings;
import io.twinbell.persistence.testing.TestTasks;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.postgresql.ds.PGSimpleDataSource;

/**
 * A real engine on a real database, without a thread: a test steps each part by hand, and handlers run on the thread
 * that steps.
 */
public final class EngineBench implements AutoCloseable {
    /** Of the tests that clear it before each of them and leave its schema alone. */
    public static final PGSimpleDataSource DATABASE = TestPostgres.freshDatabase();

    static final Duration RETENTION = Duration.ofDays(7);
    /** Enough that no claim waits for a worker. */
    private static final int MANY_WORKERS = 10_000;

    public final TestTasks tasks;
    final DatabaseSettings settings;
    final EpochRegister register;
    public final List<String> ran = new ArrayList<>();
    /** The fire times of the runs, in the order in which they began. */
    final List<Long> slotsRun = new ArrayList<>();

    final List<String> fenced = new ArrayList<>();
    public final MetricRegistry registry = new MetricRegistry();
    public final HandTicker ticker = new HandTicker();
    public final RunRegistry runRegistry;
    public final Settler settler;
    final ExecutionRequests executionRequests;
    final DrainingTasks drainingTasks;
    public CalendarBook calendars;
    final Claimer claimer;
    final Trigger trigger;
    public final HeapTableSync table;
    public final ReadRequests requests;
    final LimitSync limits;
    public final Loops loops;
    final LagMeter lag;
    /** How many of the two workers count as busy. */
    int busyWorkers;

    /** How the next claim is made; by default by the real ledger. */
    ClaimStep claimStep = Ledger::claim;

    public long nowMillis;
    public TaskHandler handler = context -> null;

    private List<Pause> pauses = List.of();
    private DoubtWindow.DoubtBounds doubt = DoubtWindow.DoubtBounds.NONE;
    private final MeasuredClock clock;
    private final EngineAssembly parts;
    private final Engine engine;
    private final BenchSessions sessions;

    @FunctionalInterface
    interface ClaimStep {
        ClaimOutcome claim(Ledger real, Epoch epoch, long batch, List<DecidedSlot> claims);
    }

    /** Whether the next claim of PENDING rows commits without an answer. */
    boolean losesPendingAnswer;

    /** Whether the next settlement commits without an answer. */
    boolean losesSettlementAnswer;

    /** Whether the next settlement does not arrive. */
    boolean losesSettlement;

    public EngineBench(PGSimpleDataSource database, int maxInFlight) {
        this(database, maxInFlight, List.of());
    }

    /** A bench on a database that holds nothing yet. */
    public static EngineBench cleared(PGSimpleDataSource database, int maxInFlight) {
        TestPostgres.clear(database);
        return new EngineBench(database, maxInFlight);
    }

    EngineBench(PGSimpleDataSource database, int maxInFlight, List<ScopedInterceptor> interceptors) {
        this(database, new EngineBounds(MANY_WORKERS, maxInFlight, RETENTION), interceptors);
    }

    /** A bench whose apps may start so many executions in a minute. */
    static EngineBench withQuota(PGSimpleDataSource database, int firesPerMinute) {
        return new EngineBench(database, new EngineBounds(MANY_WORKERS, 1000, RETENTION, firesPerMinute), List.of());
    }

    private EngineBench(PGSimpleDataSource database, EngineBounds bounds, List<ScopedInterceptor> interceptors) {
        tasks = new TestTasks(database);
        sessions = BenchSessions.of(database);
        settings = sessions.settings();
        register = new JdbcEpochRegister(settings, sessions.epochs());
        nowMillis = shortlyAgo(tasks.number("select twinbell.now_millis()"));
        clock = new MeasuredClock(() -> nowMillis * 1_000_000, () -> Instant.ofEpochMilli(nowMillis));

        NodeMetrics metrics = new NodeMetrics(registry, ticker);
        parts = new EngineAssembly(
                ports(),
                bounds,
                new EngineClocks(clock, ticker, ticker, () -> Instant.ofEpochSecond(0, ticker.nanos())),
                InterceptedRunner.around(TestHandlers.of(this::handle, database), interceptors),
                metrics,
                new FencedWrites(),
                new SteppedThreads(() -> busyWorkers));
        engine = new Engine(parts);
        loops = metrics.loops();
        runRegistry = parts.registry;
        requests = parts.readRequests;
        trigger = parts.trigger;
        limits = parts.limits;
        table = parts.table;
        claimer = parts.claimer;
        settler = parts.settler;
        executionRequests = parts.requests;
        drainingTasks = parts.drainingTasks;
        lag = parts.lag;
        engine.start(SystemTasks.Work.settling(engine::settle));
        trigger.fire(true);
    }

    private EnginePorts ports() {
        DedicatedConnection claims = sessions.claims();
        DedicatedConnection outcomes = sessions.outcomes();
        DedicatedConnection epochs = sessions.epochs();
        calendars = new CalendarBook(new DedicatedCalendarSource(claims));
        TaskCompiler compiler = new DefinitionCompiler(calendars);
        return new EnginePorts(
                register,
                watched(new JdbcLedger(claims, PackedSlots.none())),
                new JdbcDueTasks(claims),
                new JdbcRecorder(outcomes, PackedSlots.none()),
                new JdbcReportWriter(outcomes, PackedSlots.none()),
                forgetful(new JdbcRecoveryStore(epochs)),
                new JdbcRecoveryStore(epochs),
                compiler,
                new SqlArrivals(new JdbcSqlArrivalSource(epochs), new JdbcSkippedRanges(epochs), calendars, compiler)
                        ::step,
                () -> pauses,
                new JdbcLimitSource(claims, epochs),
                ClaimJournal.NEVER_PROMOTED,
                isResigned -> doubt,
                new NoCallbacks());
    }

    /** Pauses or resumes all firing. */
    void pause(boolean on) {
        pauses = on ? List.of(new Pause(nowMillis, Long.MAX_VALUE, "test", "", false, null)) : List.of();
        parts.pause.read();
    }

    /** Tells the new master which slots may have run on a lost primary. */
    void doubt(DoubtWindow.DoubtBounds window) {
        doubt = window;
        parts.pause.begin(Predecessor.over(0));
    }

    private final class FencedWrites implements EngineListener {
        @Override
        public void superseded(Epoch epoch, int refusedWrites) {
            fenced.add(epoch.number() + " " + refusedWrites);
        }

        @Override
        public void firstFired(Epoch epoch, long micros) {}
    }

    /** Lets time pass on both clocks. */
    void wait(Duration time) {
        nowMillis += time.toMillis();
        ticker.pass(time);
    }

    /** Ends every session that claims, as a restart of PostgreSQL does: the next statement gets no answer. */
    void breakClaims() {
        tasks.query("select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database()"
                + " and application_name like '%claim/%'");
    }

    /** The same for the sessions that prove the epoch. */
    void breakProofs() {
        tasks.query("select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database()"
                + " and application_name like '%epoch/%'");
    }

    private RecoveryStore forgetful(RecoveryStore real) {
        return TestDouble.of(RecoveryStore.class, (method, arguments) -> {
            boolean settles = method.getName().equals("settle");
            if (settles && losesSettlement) {
                losesSettlement = false;
                throw OutcomeRecorderTest.outage();
            }
            Object answer = method.invoke(real, arguments);
            if (settles && losesSettlementAnswer) {
                losesSettlementAnswer = false;
                throw OutcomeRecorderTest.outage();
            }
            return answer;
        });
    }

    /**
     * Returns a recent time that is not within two seconds after a full minute or ten before it. A slot of that minute
     * would lie between now and a first fire a second ago, be claimed ahead, or come due when a test lets some seconds
     * pass.
     */
    private static long shortlyAgo(long millis) {
        long latest = 50_000;
        long intoMinute = Math.floorMod(millis, 60_000L);
        boolean isFar = intoMinute >= 2_000 && intoMinute <= latest;
        return isFar ? millis : millis - Math.floorMod(millis - latest, 60_000L);
    }

    private Object handle(TaskContext context) throws Exception {
        slotsRun.add(context.fireTime().toEpochMilli());
        ran.add(context.name() + " " + (context.fireTime().toEpochMilli() - nowMillis) + " " + context.attempt());
        return handler.run(context);
    }

    /** Opens the next epoch for this node and begins to claim under it. */
    public Epoch begin() {
        Epoch epoch = openEpoch();
        claimer.begin(epoch);
        return epoch;
    }

    /** The same after a master that has surely ended, and settles what that master left. */
    Epoch succeed() {
        Epoch epoch = begin();
        settler.begin(Predecessor.over(epoch.number() - 1));
        settler.step(epoch);
        return epoch;
    }

    public Epoch openEpoch() {
        return TestSettings.openEpoch(register, settings, register.read().epoch());
    }

    /** Claims, runs and records everything that is due. */
    public void fireAll() {
        claimer.pendingChanged();
        for (int i = 0; i < 5; i++) {
            trigger.step(nowMillis * 1_000_000);
            claimer.step();
        }
        trigger.step(nowMillis * 1_000_000);
        record();
    }

    /** Sets a handler without an output. */
    public void onRun(HandlerBody body) {
        handler = context -> {
            body.run(context);
            return null;
        };
    }

    @FunctionalInterface
    public interface HandlerBody {
        void run(TaskContext context) throws Exception;
    }

    /** The names of the tasks that ran, in order. */
    List<String> names() {
        return ran.stream().map(run -> run.split(" ")[0]).toList();
    }

    /** Called by a handler: lets time pass, so that slots come due during its run. */
    void passes(long millis) {
        nowMillis += millis;
        for (int i = 0; i < 2; i++) {
            trigger.step(nowMillis * 1_000_000);
            claimer.step();
        }
        trigger.step(nowMillis * 1_000_000);
        record();
    }

    /** Claims and starts what is due. Then the process dies before it records an outcome. */
    void fireAllAndDie() {
        claimer.pendingChanged();
        for (int i = 0; i < 3; i++) {
            trigger.step(nowMillis * 1_000_000);
            claimer.step();
        }
        trigger.step(nowMillis * 1_000_000);
    }

    /** Fires what is due under the next epoch. */
    public Epoch beginAndFire() {
        Epoch epoch = begin();
        fireAll();
        return epoch;
    }

    /** Fires as often: slots of a backlog each start when the one before them is recorded. */
    public void fireAll(int times) {
        for (int i = 0; i < times; i++) {
            fireAll();
        }
    }

    public void record() {
        while (parts.outcomes.step() == 0) {
            // Repeat until nothing waits.
        }
    }

    /** Inserts a task with the handler of this bench. */
    public long task(String name, String schedule, long fireMillis, String... more) {
        return tasks.insert(name, StoredTasks.json(schedule, more), fireMillis);
    }

    /** Name, state and attempt of every row, oldest fire time first. */
    public List<String> ledger() {
        return tasks.query(
                "select name || ' ' || state || ' ' || attempt from twinbell.execution order by fire_time, task_id");
    }

    long nextOf(long task) {
        return tasks.number("select twinbell.millis(next_fire_time) from twinbell.task_state where task_id = " + task);
    }

    /** The next claim is made, but its answer is lost. */
    void losesTheNextAnswer() {
        claimStep = (real, epoch, batch, wanted) -> {
            claimStep = Ledger::claim;
            real.claim(epoch, batch, wanted);
            throw OutcomeRecorderTest.outage();
        };
    }

    @Override
    public void close() {
        engine.close();
        BenchSessions.keep(sessions);
    }

    /** The real ledger, except that a test may replace the next claim. */
    @SuppressWarnings("unchecked")
    private Ledger watched(Ledger real) {
        return TestDouble.of(Ledger.class, (method, arguments) -> {
            if (method.getName().equals("claim")) {
                return claimStep.claim(
                        real, (Epoch) arguments[0], (long) arguments[1], (List<DecidedSlot>) arguments[2]);
            }
            Object answer = method.invoke(real, arguments);
            if (losesPendingAnswer && method.getName().equals("claimWaiting")) {
                losesPendingAnswer = false;
                tasks.query("select pg_terminate_backend(pid, 2000) from pg_stat_activity"
                        + " where datname = current_database() and application_name like '%/claim/%'");
                method.invoke(real, arguments);
            }
            return answer;
        });
    }
}
