package io.twinbell.node.engine;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.codahale.metrics.MetricRegistry;
import io.twinbell.ha.role.Predecessor;
import io.twinbell.handler.TaskHandler;
import io.twinbell.node.engine.run.EngineMetrics;
import io.twinbell.node.engine.step.EngineClocks;
import io.twinbell.node.engine.step.TrustWindow;
import io.twinbell.node.engine.trigger.SystemTasks;
import io.twinbell.node.handler.Handlers;
import io.twinbell.persistence.calendar.DedicatedCalendarSource;
import io.twinbell.persistence.cluster.FiringPauses.Pause;
import io.twinbell.persistence.database.DatabaseSettings;
import io.twinbell.persistence.database.DedicatedConnection;
import io.twinbell.persistence.database.MeasuredClock;
import io.twinbell.persistence.database.Ticker;
import io.twinbell.persistence.epoch.Claimant;
import io.twinbell.persistence.epoch.Doubt;
import io.twinbell.persistence.epoch.Epoch;
import io.twinbell.persistence.epoch.EpochRegister;
import io.twinbell.persistence.epoch.JdbcEpochRegister;
import io.twinbell.persistence.ledger.OpenBatches;
import io.twinbell.persistence.ledger.Slot;
import io.twinbell.persistence.ledger.claim.JdbcDueTasks;
import io.twinbell.persistence.ledger.claim.JdbcLedger;
import io.twinbell.persistence.ledger.journal.ClaimCheck;
import io.twinbell.persistence.ledger.query.JdbcExecutionRequests;
import io.twinbell.persistence.ledger.record.JdbcRecorder;
import io.twinbell.persistence.ledger.record.JdbcReportWriter;
import io.twinbell.persistence.ledger.recovery.JdbcRecoveryStore;
import io.twinbell.persistence.limit.JdbcLimitSource;
import io.twinbell.persistence.task.JdbcSkippedRanges;
import io.twinbell.persistence.task.JdbcSqlArrivalSource;
import io.twinbell.persistence.testing.HandTicker;
import io.twinbell.persistence.testing.TestPostgres;
import io.twinbell.persistence.testing.TestSettings;
import io.twinbell.persistence.testing.TestTasks;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.postgresql.ds.PGSimpleDataSource;

/** The engine as a whole, on its own threads and a real database. */
@Timeout(60)
class EngineTest {
    private static final PGSimpleDataSource DATABASE = TestPostgres.freshDatabase();
    private static final String RERUN = ",\"orphan\":\"RERUN\"";

    private final Deque<AutoCloseable> opened = new ArrayDeque<>();
    private final TestTasks tasks = new TestTasks(DATABASE);
    private final DatabaseSettings settings = TestSettings.of(DATABASE, "a");
    private final EpochRegister register = new JdbcEpochRegister(settings, connection());
    private final ConcurrentLinkedQueue<String> ran = new ConcurrentLinkedQueue<>();
    private final ConcurrentLinkedQueue<Epoch> fenced = new ConcurrentLinkedQueue<>();
    private final CountDownLatch testIsOver = new CountDownLatch(1);
    private volatile TaskHandler handler = context -> null;

    @BeforeEach
    void clear() {
        EngineBench.clear(DATABASE);
    }

    @AfterEach
    void close() throws Exception {
        testIsOver.countDown();
        while (!opened.isEmpty()) {
            opened.pop().close();
        }
    }

    @Test
    void tasks_fire_as_soon_as_their_epoch_is_taken_and_no_more_when_claiming_stops() {
        Engine engine = engine(Ticker.SYSTEM);
        engine.start(SystemTasks.Work.settling(engine::settle));
        insert("first", StoredTasks.ONCE, now());
        Epoch epoch = open();
        takes(engine, epoch);
        await().until(() -> ledger().equals(List.of("first SUCCEEDED 1")));
        engine.stopClaiming(epoch);
        insert("second", StoredTasks.ONCE, now());
        engine.everythingChanged();
        assertTrue(engine.isFinished(epoch));
        await().until(() -> engine.heapSize() == 0);
        assertEquals(List.of("first"), List.copyOf(ran));
    }

    @Test
    void orphans_wait_for_the_end_of_the_old_masters_trust_whatever_happens_meanwhile() {
        HandTicker ticker = new HandTicker();
        Engine engine = engine(ticker);
        long orphan = insert("orphan", StoredTasks.ONCE, now() + 60_000, RERUN);
        claimedUnder(open(), orphan, "orphan");
        engine.take(open(), Predecessor.unknown(1));
        ticker.pass(TrustWindow.WINDOW.minusMillis(10));
        engine.ledgerChanged();
        Duration again = engine.settle();
        assertEquals(List.of("orphan CLAIMED 1"), ledger(), "the old master may still start it");
        assertTrue(again.compareTo(Duration.ofMillis(10)) >= 0, "as soon as it is over: " + again);
        ticker.pass(again);
        settlesTo(engine, "orphan CLAIMED 2");
    }

    @Test
    void what_fell_due_while_the_old_master_could_start_it_has_begun_also_by_a_clock_that_has_slept() {
        HandTicker ticker = new HandTicker();
        Engine engine = engine(ticker);
        // By it the slot is due in a third of a second when trust has ended.
        clock.measured((now() - 2300) * 1000, ticker.nanos());
        claimedUnder(open(), insert("orphan", StoredTasks.ONCE, now() + 60_000, RERUN), "orphan");
        engine.take(open(), Predecessor.unknown(1));
        ticker.pass(TrustWindow.WINDOW);
        settlesTo(engine, "orphan CLAIMED 2");
    }

    @Test
    void orphans_of_a_master_that_said_itself_that_it_is_over_need_not_wait() {
        Engine engine = engine(new HandTicker());
        claimedUnder(open(), insert("orphan", StoredTasks.ONCE, now() + 60_000), "orphan");
        takes(engine, open());
        settlesTo(engine, "orphan DROPPED 1");
    }

    @Test
    void who_does_not_fire_settles_nothing() {
        assertNull(engine(new HandTicker()).settle());
    }

    @Test
    void claims_that_have_not_started_are_handed_back_and_run_once_under_the_next_epoch() {
        Engine busy = engine(Ticker.SYSTEM, 1);
        CountDownLatch running = new CountDownLatch(1);
        handler = context -> {
            running.countDown();
            testIsOver.await();
            return null;
        };
        busy.start(SystemTasks.Work.settling(busy::settle));
        insert("running", StoredTasks.ONCE, now() - 2000);
        Epoch old = open();
        takes(busy, old);
        assertTrue(Eventually.isOver(running));
        IntStream.range(0, 20).forEach(i -> insert("waiting" + i, StoredTasks.ONCE, now() - 1000));
        busy.everythingChanged();
        await().until(() -> busy.workers().queued() == 20);
        busy.stopClaiming(old);
        busy.handBack(old);
        assertEquals(0, busy.workers().queued());
        assertEquals(20, tasks.number("select count(*) from twinbell.execution where state = 'PENDING'"));
        register.resign(old, Duration.ofMinutes(1));

        handler = context -> null;
        Engine next = engine(Ticker.SYSTEM);
        next.start(SystemTasks.Work.settling(next::settle));
        takes(next, open());
        await().until(() -> count("SUCCEEDED") == 20);
        assertEquals(
                1,
                count("CLAIMED") + tasks.number("select count(*) from twinbell.batch_claim"),
                "what still runs elsewhere is left alone");
        assertEquals(21, ran.stream().distinct().count());
        assertEquals(21, ran.size());
    }

    @Test
    void a_hand_back_survives_the_loss_of_its_connection() {
        Engine engine = engine(Ticker.SYSTEM);
        engine.start(SystemTasks.Work.settling(engine::settle));
        Epoch epoch = open();
        takes(engine, epoch);
        CountDownLatch running = new CountDownLatch(4);
        handler = context -> {
            running.countDown();
            testIsOver.await();
            return null;
        };
        IntStream.range(0, 10).forEach(i -> insert("t" + i, StoredTasks.ONCE, now()));
        engine.everythingChanged();
        assertTrue(Eventually.isOver(running));
        await().until(() -> engine.workers().queued() == 6);
        engine.stopClaiming(epoch);
        tasks.query("select pg_terminate_backend(pid) from pg_stat_activity"
                + " where datname = current_database() and pid <> pg_backend_pid()");
        engine.handBack(epoch);
        assertEquals(6, count("PENDING"));
    }

    @Test
    void a_master_that_drains_still_records_and_its_task_does_not_run_beside_itself_at_the_successor() {
        Engine old = engine(Ticker.SYSTEM);
        CountDownLatch running = new CountDownLatch(1);
        CountDownLatch mayEnd = new CountDownLatch(1);
        handler = context -> {
            running.countDown();
            mayEnd.await();
            return null;
        };
        old.start(SystemTasks.Work.settling(old::settle));
        insert("t", StoredTasks.EVERY_SECOND, now() - 1000);
        Epoch first = open();
        takes(old, first);
        assertTrue(Eventually.isOver(running));
        old.stopClaiming(first);
        old.handBack(first);
        register.resign(first, Duration.ofMinutes(1));
        Engine next = engine(Ticker.SYSTEM);
        next.start(SystemTasks.Work.settling(next::settle));
        takes(next, open());
        await().until(() -> count("SKIPPED") > 0);
        mayEnd.countDown();
        await().until(() -> old.isFinished(first));
        assertEquals(
                List.of("SUCCEEDED"),
                tasks.query("select state from twinbell.execution where epoch = " + first.number()
                        + " order by fire_time limit 1"));
        register.drained(first);
        next.settle();
        await().until(() -> ran.size() > 1);
    }

    @Test
    void a_fenced_engine_interrupts_what_runs_and_its_outcome_becomes_a_note() {
        Engine engine = engine(Ticker.SYSTEM);
        CountDownLatch running = new CountDownLatch(1);
        handler = context -> {
            running.countDown();
            testIsOver.await();
            return null;
        };
        engine.start(SystemTasks.Work.settling(engine::settle));
        insert("t", StoredTasks.ONCE, now());
        Epoch old = open();
        takes(engine, old);
        assertTrue(Eventually.isOver(running));
        open();
        engine.stopClaiming(old);
        engine.interrupt(old);
        await().until(() -> engine.isFinished(old));
        assertEquals(List.of("CLAIMED|t"), tasks.query("select state, note like '%FAILED%' from twinbell.execution"));
        assertTrue(fenced.contains(old));
    }

    @Test
    void a_hurried_drain_leaves_what_it_interrupts_to_the_successor_if_its_task_reruns() {
        Engine old = engine(Ticker.SYSTEM);
        CountDownLatch running = new CountDownLatch(2);
        handler = context -> {
            running.countDown();
            testIsOver.await();
            return null;
        };
        old.start(SystemTasks.Work.settling(old::settle));
        insert("drops", StoredTasks.ONCE, now());
        insert("reruns", StoredTasks.ONCE, now(), RERUN);
        Epoch first = open();
        old.take(first, Predecessor.over(0));
        assertTrue(Eventually.isOver(running));
        old.stopClaiming(first);
        old.handBack(first);
        register.resign(first, Duration.ofMinutes(1));
        old.interrupt(first);
        await().until(() -> old.isFinished(first));
        register.drained(first);
        handler = context -> null;
        Engine next = engine(Ticker.SYSTEM);
        next.start(SystemTasks.Work.settling(next::settle));
        next.take(open(), Predecessor.over(first.number()));
        await().until(() ->
                ledger().stream().sorted().toList().equals(List.of("drops FAILED 1", "reruns SUCCEEDED 2")));
    }

    @Test
    void a_running_execution_is_cancelled_by_whoever_asks_for_it_on_either_node() {
        Engine engine = engine(Ticker.SYSTEM);
        CountDownLatch running = new CountDownLatch(1);
        handler = context -> {
            running.countDown();
            testIsOver.await();
            return null;
        };
        long fire = now();
        engine.start(SystemTasks.Work.settling(engine::settle));
        long task = insert("t", StoredTasks.ONCE, fire);
        engine.take(open(), Predecessor.over(0));
        assertTrue(Eventually.isOver(running));
        new JdbcExecutionRequests(DATABASE).cancel(new Slot(task, fire), "cancelled: by hand");
        engine.ledgerChanged();
        await().until(() -> ledger().equals(List.of("t CANCELLED 1")));
        await().until(() -> tasks.number("select count(*) from twinbell.cancel_request") == 0);
    }

    @Test
    void handlers_that_never_return_do_not_use_up_the_workers_of_the_next_term() {
        Engine engine = engine(Ticker.SYSTEM, 2);
        CountDownLatch running = new CountDownLatch(2);
        handler = context -> {
            running.countDown();
            Eventually.stubbornlyFor(testIsOver);
            return null;
        };
        engine.start(SystemTasks.Work.settling(engine::settle));
        insert("stuck1", StoredTasks.ONCE, now());
        insert("stuck2", StoredTasks.ONCE, now());
        Epoch old = open();
        takes(engine, old);
        assertTrue(Eventually.isOver(running));
        engine.stopClaiming(old);
        engine.interrupt(old);
        handler = context -> null;
        insert("next", StoredTasks.ONCE, now());
        takes(engine, open());
        await().until(() -> ledger().contains("next SUCCEEDED 1"));
    }

    @Test
    void while_firing_is_paused_nothing_starts_and_afterwards_its_slots_are_skipped_with_the_reason() {
        Engine engine = engine(Ticker.SYSTEM);
        long began = now();
        pauses = List.of(new Pause(began - 5000, Long.MAX_VALUE, "repairs", "bob"));
        engine.start(SystemTasks.Work.settling(engine::settle));
        insert("t", StoredTasks.ONCE, began - 1000);
        takes(engine, open());
        await().until(() -> engine.heapSize() >= 1);
        assertTrue(engine.isPaused());
        assertEquals(new FiringLag(0, 0, 0, 0), engine.lag(), "what a pause holds is not late");
        assertEquals(List.of(), ledger());
        pauses = List.of(new Pause(began - 5000, began, "repairs", "bob"));
        engine.refreshPauses();
        await().until(() -> ledger().equals(List.of("t SKIPPED 1")));
        assertEquals(
                List.of("firing was paused by bob: repairs"), tasks.query("select reason from twinbell.execution"));
        assertTrue(ran.isEmpty());
    }

    @Test
    void a_pause_that_a_jump_of_the_clock_has_ended_is_over_at_once() {
        Engine engine = engine(Ticker.SYSTEM);
        long began = now();
        long hour = Duration.ofHours(1).toMillis();
        pauses = List.of(new Pause(began - 5000, began + hour, "repairs", "bob"));
        engine.start(SystemTasks.Work.settling(engine::settle));
        insert("t", StoredTasks.ONCE, began + hour + 10);
        takes(engine, open());
        assertTrue(engine.isPaused());
        clock.measured((began + hour + 1000) * 1000, Ticker.SYSTEM.nanos());
        engine.clockJumped();
        await().until(() -> ledger().equals(List.of("t SUCCEEDED 1")));
    }

    @Test
    void a_pause_with_an_end_is_over_then_without_anybody_saying_so() {
        Engine engine = engine(Ticker.SYSTEM);
        long began = now();
        pauses = List.of(new Pause(began - 5000, began + 300, "repairs", "bob"));
        engine.start(SystemTasks.Work.settling(engine::settle));
        insert("within", StoredTasks.ONCE, began - 1000);
        insert("after", StoredTasks.ONCE, began + 400);
        engine.take(open(), Predecessor.over(0));
        await().until(() -> Set.copyOf(ledger()).equals(Set.of("within SKIPPED 1", "after SUCCEEDED 1")));
        assertFalse(engine.isPaused());
    }

    @Test
    void with_room_for_few_many_due_tasks_go_through_without_waiting_for_another_wake() {
        Engine narrow = engine(Ticker.SYSTEM, 2, 2);
        narrow.start(SystemTasks.Work.settling(narrow::settle));
        IntStream.range(0, 60).forEach(i -> insert("t" + i, StoredTasks.ONCE, now() - 1000));
        takes(narrow, open());
        // At one claim a second, as without the wake, this would take half a minute.
        await().atMost(Duration.ofSeconds(15)).until(() -> count("SUCCEEDED") == 60);
    }

    @Test
    void overdue_slots_of_one_task_run_one_after_the_other_and_none_is_skipped_for_another() {
        Engine engine = engine(Ticker.SYSTEM);
        CountDownLatch running = new CountDownLatch(1);
        CountDownLatch mayGoOn = new CountDownLatch(1);
        handler = context -> {
            running.countDown();
            mayGoOn.await();
            return null;
        };
        long began = now() / 1000 * 1000;
        engine.start(SystemTasks.Work.settling(engine::settle));
        insert("t", StoredTasks.EVERY_SECOND, began - 9000, ",\"end\":\"" + Instant.ofEpochMilli(began) + "\"");
        engine.take(open(), Predecessor.over(0));
        assertTrue(Eventually.isOver(running));
        engine.reconcile();
        assertEquals(1, tasks.number("select count(*) from twinbell.execution"), "the others wait unclaimed");
        mayGoOn.countDown();
        await().until(() -> count("SUCCEEDED") == 10);
        assertEquals(10, tasks.number("select count(*) from twinbell.execution"));
    }

    @Test
    void a_task_may_fire_again_while_others_hold_every_worker_but_one() {
        Engine engine = engine(Ticker.SYSTEM, 2);
        handler = context -> {
            if (context.name().equals("hog")) {
                testIsOver.await();
            }
            return null;
        };
        engine.start(SystemTasks.Work.settling(engine::settle));
        insert("hog", StoredTasks.ONCE, now());
        insert("quick", "{\"every\":\"PT0.05S\"}", now());
        takes(engine, open());
        await().until(() -> ran.stream().filter("quick"::equals).count() > 10);
        assertFalse(ledger().contains("hog SUCCEEDED 1"));
    }

    @Test
    void a_long_run_is_told_to_be_running_by_the_heartbeat() {
        Engine engine = engine(Ticker.SYSTEM);
        CountDownLatch running = new CountDownLatch(1);
        handler = context -> {
            running.countDown();
            testIsOver.await();
            return null;
        };
        engine.start(SystemTasks.Work.settling(engine::settle));
        insert("t", StoredTasks.ONCE, now());
        takes(engine, open());
        assertTrue(Eventually.isOver(running));
        await().until(() -> {
            engine.reconcile();
            return ledger().equals(List.of("t RUNNING 1"));
        });
    }

    private volatile List<Pause> pauses = List.of();
    private MeasuredClock clock;

    private Engine engine(Ticker ticker) {
        return engine(ticker, 4);
    }

    private Engine engine(Ticker ticker, int workers) {
        return engine(ticker, workers, 1000);
    }

    private Engine engine(Ticker ticker, int workers, int maxInFlight) {
        clock = new MeasuredClock(ticker, InstantSource.system());
        clock.measured(now() * 1000, ticker.nanos());
        DedicatedConnection claims = connection();
        // What is claimed for the last time is, as if there were many.
        OpenBatches batches = new OpenBatches(1);
        Engine.Ports ports = new Engine.Ports(
                new JdbcEpochRegister(settings, connection()),
                new JdbcLedger(claims, batches),
                new JdbcDueTasks(claims),
                new JdbcDueTasks(connection()),
                new JdbcRecorder(connection(), batches),
                new JdbcReportWriter(connection(), batches),
                new JdbcRecoveryStore(connection()),
                new JdbcSqlArrivalSource(connection()),
                new JdbcSkippedRanges(connection()),
                () -> pauses,
                new DedicatedCalendarSource(claims),
                new JdbcLimitSource(claims, connection()),
                ClaimCheck.NEVER_PROMOTED,
                isResigned -> Doubt.Window.NONE);
        Handlers handlers = TestHandlers.of(context -> {
            ran.add(context.name());
            return handler.run(context);
        });
        Engine engine = new Engine(
                ports,
                new Engine.Bounds(workers, maxInFlight, EngineBench.RETENTION),
                new EngineClocks(clock, ticker, ticker, InstantSource.system()),
                handlers,
                new EngineMetrics(new MetricRegistry()),
                new Engine.Listener() {
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

    private DedicatedConnection connection() {
        DedicatedConnection connection = new DedicatedConnection(settings, "test", 5);
        opened.push(connection);
        return connection;
    }

    /** The epoch before is over: its owner has said so. */
    private static void takes(Engine engine, Epoch epoch) {
        engine.take(epoch, Predecessor.over(epoch.number() - 1));
    }

    private Epoch open() {
        long current = register.read().epoch();
        return register.open(current, new Claimant("a", settings.incarnation(), 1, 0), "test")
                .orElseThrow();
    }

    private long insert(String name, String schedule, long fireMillis, String... more) {
        return tasks.insert(name, StoredTasks.json(schedule, more), fireMillis);
    }

    /** A pass that the database was too slow for changes nothing, and is made again. No time passes by the test's ticker. */
    private void settlesTo(Engine engine, String row) {
        List<String> before = ledger();
        await().until(() -> {
            engine.settle();
            return !ledger().equals(before);
        });
        assertEquals(List.of(row), ledger());
    }

    private void claimedUnder(Epoch epoch, long task, String name) {
        tasks.execute("insert into twinbell.execution (task_id, fire_time, app, name, state, epoch, node, claimed_at)"
                + " values (" + task + ", twinbell.instant(" + (now() - 1000) + "), 'test', '" + name
                + "', 'CLAIMED', " + epoch.number() + ", 'old', clock_timestamp())");
    }

    private long now() {
        return tasks.number("select twinbell.now_millis()");
    }

    private long count(String state) {
        return tasks.number("select count(*) from twinbell.execution where state = '" + state + "'");
    }

    private List<String> ledger() {
        return tasks.query("select name || ' ' || state || ' ' || attempt from twinbell.execution");
    }
}
