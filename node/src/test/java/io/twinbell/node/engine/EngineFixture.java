package io.twinbell.node.engine;

import com.codahale.metrics.MetricRegistry;
import io.twinbell.ha.role.Predecessor;
import io.twinbell.handler.TaskHandler;
import io.twinbell.node.calendar.CalendarBook;
import io.twinbell.node.calendar.store.DedicatedCalendarSource;
import io.twinbell.node.compile.DefinitionCompiler;
import io.twinbell.node.compile.SqlArrivals;
import io.twinbell.node.compile.store.JdbcSkippedRanges;
import io.twinbell.node.compile.store.JdbcSqlArrivalSource;
import io.twinbell.node.engine.step.EngineClocks;
import io.twinbell.node.engine.task.TaskCompiler;
import io.twinbell.node.handler.Handlers;
import io.twinbell.node.metrics.NodeMetrics;
import io.twinbell.persistence.clock.MeasuredClock;
import io.twinbell.persistence.clock.Ticker;
import io.twinbell.persistence.cluster.Pause;
import io.twinbell.persistence.database.DatabaseSettings;
import io.twinbell.persistence.database.DedicatedConnection;
import io.twinbell.persistence.epoch.DoubtWindow;
import io.twinbell.persistence.epoch.Epoch;
import io.twinbell.persistence.epoch.EpochRegister;
import io.twinbell.persistence.epoch.JdbcEpochRegister;
import io.twinbell.persistence.ledger.PackedSlots;
import io.twinbell.persistence.ledger.callback.JdbcCallbackStore;
import io.twinbell.persistence.ledger.claim.JdbcDueTasks;
import io.twinbell.persistence.ledger.claim.JdbcLedger;
import io.twinbell.persistence.ledger.journal.ClaimJournal;
import io.twinbell.persistence.ledger.record.JdbcRecorder;
import io.twinbell.persistence.ledger.record.JdbcReportWriter;
import io.twinbell.persistence.ledger.recovery.JdbcRecoveryStore;
import io.twinbell.persistence.limit.JdbcLimitSource;
import io.twinbell.persistence.testing.TestPostgres;
import io.twinbell.persistence.testing.TestSettings;
import io.twinbell.persistence.testing.TestTasks;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.postgresql.ds.PGSimpleDataSource;

/** Engines with their real threads, which fire tasks of a real database. */
abstract class EngineFixture {
    static final PGSimpleDataSource DATABASE = TestPostgres.freshDatabase();
    static final String RERUN = ",\"orphan\":\"RERUN\"";
    private static final DatabaseSettings SETTINGS = TestSettings.of(DATABASE, "a");
    /** The first statements of a session cost more than most tests do in it. */
    private static final Deque<DedicatedConnection> KEPT = new ArrayDeque<>();

    final DatabaseSettings settings = SETTINGS;
    final Deque<AutoCloseable> opened = new ArrayDeque<>();
    final TestTasks tasks = new TestTasks(DATABASE);
    final EpochRegister register = new JdbcEpochRegister(settings, connection());
    final ConcurrentLinkedQueue<String> ran = new ConcurrentLinkedQueue<>();
    final ConcurrentLinkedQueue<Epoch> fenced = new ConcurrentLinkedQueue<>();
    final CountDownLatch testIsOver = new CountDownLatch(1);
    volatile TaskHandler handler = context -> null;

    @BeforeEach
    void clear() {
        TestPostgres.clear(DATABASE);
    }

    @AfterEach
    void close() throws Exception {
        testIsOver.countDown();
        while (!opened.isEmpty()) {
            opened.pop().close();
        }
    }

    /** Sets a handler without an output. */
    void onRun(EngineBench.HandlerBody body) {
        handler = context -> {
            body.run(context);
            return null;
        };
    }

    volatile List<Pause> pauses = List.of();
    MeasuredClock clock;

    Engine engine(Ticker ticker) {
        return engine(ticker, 4);
    }

    Engine engine(Ticker ticker, int workers) {
        return engine(ticker, workers, 1000);
    }

    Engine engine(Ticker ticker, int workers, int maxInFlight) {
        clock = new MeasuredClock(ticker, InstantSource.system());
        clock.measured(now() * 1000, ticker.nanos());
        DedicatedConnection claims = connection();
        // A single last slot of a task is claimed in a batch, as if there were many.
        PackedSlots batches = new PackedSlots(1);
        CalendarBook calendars = new CalendarBook(new DedicatedCalendarSource(claims));
        TaskCompiler compiler = new DefinitionCompiler(calendars);
        EnginePorts ports = new EnginePorts(
                new JdbcEpochRegister(settings, connection()),
                new JdbcLedger(claims, batches),
                new JdbcDueTasks(claims),
                new JdbcRecorder(connection(), batches),
                new JdbcReportWriter(connection(), batches),
                new JdbcRecoveryStore(connection()),
                new JdbcRecoveryStore(connection()),
                compiler,
                new SqlArrivals(
                        new JdbcSqlArrivalSource(connection()),
                        new JdbcSkippedRanges(connection()),
                        calendars,
                        compiler)::step,
                () -> pauses,
                new JdbcLimitSource(claims, connection()),
                ClaimJournal.NEVER_PROMOTED,
                isResigned -> DoubtWindow.DoubtBounds.NONE,
                new JdbcCallbackStore(connection(), batches));
        Handlers handlers = TestHandlers.of(
                context -> {
                    ran.add(context.name());
                    return handler.run(context);
                },
                DATABASE);
        Engine engine = new Engine(
                ports,
                new EngineBounds(workers, maxInFlight, EngineBench.RETENTION),
                new EngineClocks(clock, ticker, ticker, InstantSource.system()),
                handlers,
                new NodeMetrics(new MetricRegistry()),
                new EngineListener() {
                    @Override
                    public void superseded(Epoch epoch, int refusedWrites) {
                        fenced.add(epoch);
                    }

                    @Override
                    public void firstFired(Epoch epoch, long micros) {}
                });
        opened.push(engine);
        return engine;
    }

    DedicatedConnection connection() {
        DedicatedConnection connection;
        if (KEPT.isEmpty()) {
            connection = new DedicatedConnection(SETTINGS, "test", 5);
        } else {
            connection = KEPT.pop();
            BenchSessions.discardIfBroken(connection);
        }
        opened.push(() -> KEPT.push(connection));
        return connection;
    }

    /** The engine takes over after an epoch whose owner has resigned. */
    static void takes(Engine engine, Epoch epoch) {
        engine.take(epoch, Predecessor.over(epoch.number() - 1));
    }

    Epoch open() {
        return TestSettings.openEpoch(register, settings, register.read().epoch());
    }

    long insert(String name, String schedule, long fireMillis, String... more) {
        return tasks.insert(name, StoredTasks.json(schedule, more), fireMillis);
    }

    long now() {
        return tasks.number("select twinbell.now_millis()");
    }

    long count(String state) {
        return tasks.number("select count(*) from twinbell.execution where state = '" + state + "'");
    }

    List<String> ledger() {
        return tasks.query("select name || ' ' || state || ' ' || attempt from twinbell.execution");
    }
}
