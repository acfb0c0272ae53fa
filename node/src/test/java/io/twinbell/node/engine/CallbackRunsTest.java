package io.twinbell.node.engine;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.net.httpserver.HttpServer;
import io.twinbell.handler.Callback;
import io.twinbell.node.engine.handler.CallbackToken;
import io.twinbell.node.engine.trigger.SystemTasks;
import io.twinbell.node.execution.store.Callbacks;
import io.twinbell.node.execution.store.JdbcExecutionRequests;
import io.twinbell.persistence.clock.Ticker;
import io.twinbell.persistence.epoch.Epoch;
import io.twinbell.persistence.ledger.ExecutionState;
import io.twinbell.persistence.ledger.Slot;
import io.twinbell.persistence.ledger.callback.CallbackStore.CallbackAnswer;
import io.twinbell.persistence.testing.HandTicker;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalDouble;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Runs whose outcome comes from outside: they hold no worker, and a successor knows them. */
@Timeout(60)
class CallbackRunsTest extends EngineFixture {
    private static final String HOUR = ",\"timeout\":\"PT1H\"";
    private static final String OFTEN = "{\"every\":\"PT0.1S\"}";
    private static final int MANY = 50;

    private final ConcurrentLinkedQueue<Callback> parked = new ConcurrentLinkedQueue<>();
    private final Callbacks callbacks = new Callbacks(DATABASE);

    /** One worker, whose handler parks each run. */
    private Engine engine() {
        handler = context -> {
            parked.add(context.park());
            return "ignored";
        };
        Engine engine = engine(Ticker.SYSTEM, 1);
        engine.start(SystemTasks.Work.settling(engine::settle));
        return engine;
    }

    private Epoch begins(Engine engine) {
        Epoch epoch = open();
        takes(engine, epoch);
        return epoch;
    }

    private void areOut(int number) {
        await().until(() -> tasks.number("select count(*) from twinbell.parked where is_out") == number);
    }

    /** By the database's clock. The schedule has a slot every tenth of a second. */
    private void otherSlotsAreDue() {
        long from = now();
        await().until(() -> now() > from + 250);
    }

    private static Slot slot(Callback callback) {
        String[] parts = callback.executionId().split("-");
        return new Slot(Long.parseLong(parts[0]), Long.parseLong(parts[1]));
    }

    private Callbacks.Verdict answer(Callback callback, ExecutionState state) {
        boolean hasFailed = state == ExecutionState.FAILED;
        return callbacks.complete(
                slot(callback),
                CallbackToken.hash(callback.token()),
                new CallbackAnswer.Outcome(state, "posted", hasFailed ? "no luck" : null, hasFailed ? "NO_LUCK" : null),
                "{\"at\":" + parked.size() + "}");
    }

    private void shows(String... rows) {
        await().untilAsserted(() -> assertEquals(
                List.of(rows),
                tasks.query("select concat_ws('|', state, attempt, output, error, error_code)"
                        + " from twinbell.execution order by fire_time")));
    }

    @Test
    void one_worker_has_many_runs_parked_and_each_ends_as_it_is_answered() {
        Engine engine = engine();
        tasks.insertSeries(MANY, StoredTasks.json(StoredTasks.ONCE, HOUR), now() - 1000);
        begins(engine);
        areOut(MANY);
        assertEquals(MANY, count("RUNNING"));
        assertEquals(MANY, engine.parkedRuns());
        assertEquals(0, engine.workers().active());
        parked.forEach(
                callback -> assertEquals(Callbacks.Verdict.ACCEPTED, answer(callback, ExecutionState.SUCCEEDED)));
        engine.callbackAnswered();
        await().until(() -> count("SUCCEEDED") == MANY);
        assertEquals(MANY, tasks.number("select count(*) from twinbell.execution where output = 'posted'"));
        await().until(() -> engine.parkedRuns() == 0);
        assertEquals(Callbacks.Verdict.OVER, answer(parked.element(), ExecutionState.FAILED));
        assertEquals(1, tasks.number("select count(*) from twinbell.execution where note like '%FAILED%'"));
    }

    @Test
    void a_handler_parks_its_attempt_also_after_it_has_returned_a_stage() {
        Engine engine = engine();
        handler = context -> CompletableFuture.supplyAsync(() -> {
            parked.add(context.park());
            return "ignored";
        });
        insert("t", StoredTasks.ONCE, now() - 1000, HOUR);
        begins(engine);
        areOut(1);
        assertEquals(Callbacks.Verdict.ACCEPTED, answer(parked.element(), ExecutionState.SUCCEEDED));
        engine.callbackAnswered();
        await().until(() -> count("SUCCEEDED") == 1);
        assertEquals(1, tasks.number("select count(*) from twinbell.execution where output = 'posted'"));
    }

    @Test
    void a_failure_from_outside_is_retried_with_the_checkpoint() {
        ConcurrentLinkedQueue<String> checkpoints = new ConcurrentLinkedQueue<>();
        Engine engine = engine();
        onRun(context -> {
            checkpoints.add(String.valueOf(context.lastCheckpoint()));
            parked.add(context.park());
        });
        insert("t", StoredTasks.ONCE, now() - 1000, HOUR, ",\"retry\":{\"maxAttempts\":2,\"backoff\":\"PT0.01S\"}");
        begins(engine);
        areOut(1);
        answer(parked.remove(), ExecutionState.FAILED);
        engine.callbackAnswered();
        await().until(() -> {
            engine.ledgerChanged();
            return parked.size() == 1;
        });
        areOut(2);
        assertEquals(List.of("null", "{\"at\":0}"), List.copyOf(checkpoints));
        answer(parked.remove(), ExecutionState.FAILED);
        shows("FAILED|2|posted|no luck|NO_LUCK");
    }

    @Test
    void an_unanswered_run_times_out_unless_a_heartbeat_puts_that_off() {
        Engine engine = engine();
        long beats = insert("beats", StoredTasks.ONCE, now() - 1000, HOUR);
        insert("silent", StoredTasks.ONCE, now() - 1000, HOUR);
        begins(engine);
        areOut(2);
        Callback callback = parked.stream()
                .filter(each -> slot(each).taskId() == beats)
                .findFirst()
                .orElseThrow();
        tasks.execute("update twinbell.parked set timeout = interval '3 hours'");
        Callbacks.Beat beat = callbacks.heartbeat(
                slot(callback),
                CallbackToken.hash(callback.token()),
                new Callbacks.Heartbeat(OptionalDouble.of(0.5), "half", null));
        assertEquals(Callbacks.Verdict.ACCEPTED, beat.verdict());
        tasks.execute("update twinbell.parked set expires_at = expires_at - interval '1 hour'");
        await().until(() -> count("TIMED_OUT") == 1);
        assertEquals(
                List.of("beats|RUNNING|", "silent|TIMED_OUT|TIMEOUT"),
                tasks.query("select name, state, error_code from twinbell.execution order by name"));
        tasks.execute("update twinbell.parked set expires_at = clock_timestamp()");
        await().until(() -> count("TIMED_OUT") == 2);
    }

    @Test
    void a_parked_run_blocks_its_task_and_can_be_cancelled() {
        Engine engine = engine();
        long task = insert("t", OFTEN, now() / 100 * 100, HOUR);
        begins(engine);
        areOut(1);
        otherSlotsAreDue();
        assertEquals(1, parked.size());
        Slot slot = slot(parked.element());
        assertEquals(task, slot.taskId());
        new JdbcExecutionRequests(DATABASE).cancel(slot, "cancelled: by hand");
        engine.ledgerChanged();
        await().until(() -> count("CANCELLED") == 1);
        assertEquals(
                List.of("cancelled: by hand"),
                tasks.query("select reason from twinbell.execution where state = 'CANCELLED'"));
        assertEquals(Callbacks.Verdict.OVER, answer(parked.element(), ExecutionState.SUCCEEDED));
        await().until(() -> parked.size() > 1);
    }

    @Test
    void a_successor_adopts_what_is_out_and_it_blocks_its_task_there() {
        Engine dies = engine();
        insert("t", OFTEN, now() / 100 * 100, HOUR);
        begins(dies);
        areOut(1);
        dies.close();
        Engine next = engine();
        Epoch second = begins(next);
        await().until(() -> next.parkedRuns() == 1);
        otherSlotsAreDue();
        assertEquals(1, parked.size());
        assertEquals(Callbacks.Verdict.ACCEPTED, answer(parked.element(), ExecutionState.SUCCEEDED));
        next.callbackAnswered();
        await().until(() -> count("SUCCEEDED") == 1);
        assertEquals(second.number(), tasks.number("select epoch from twinbell.execution where state = 'SUCCEEDED'"));
        await().until(() -> parked.size() > 1);
    }

    @Test
    void an_answer_between_two_masters_is_applied_by_the_next() {
        Engine dies = engine();
        insert("t", StoredTasks.ONCE, now() - 1000, HOUR);
        begins(dies);
        areOut(1);
        dies.close();
        assertEquals(Callbacks.Verdict.ACCEPTED, answer(parked.element(), ExecutionState.FAILED));
        begins(engine());
        shows("FAILED|1|posted|no luck|NO_LUCK");
    }

    @Test
    void parked_runs_do_not_hold_up_a_hand_over() {
        Engine old = engine();
        insert("t", StoredTasks.ONCE, now() - 1000, HOUR);
        Epoch first = begins(old);
        areOut(1);
        await().until(() -> old.parkedRuns() == 1);
        old.stopClaiming(first);
        old.handBack(first, Duration.ZERO);
        await().until(() -> old.isFinished(first));
        assertEquals(1, count("RUNNING"));
        Engine next = engine();
        begins(next);
        await().until(() -> next.parkedRuns() == 1);
        answer(parked.element(), ExecutionState.SUCCEEDED);
        shows("SUCCEEDED|1|posted");
    }

    @Test
    void a_run_that_was_never_accepted_is_an_orphan() {
        Engine dies = engine();
        onRun(context -> {
            parked.add(context.park());
            testIsOver.await();
        });
        insert("t", StoredTasks.ONCE, now() - 1000, HOUR);
        begins(dies);
        await().until(() -> parked.size() == 1);
        dies.close();
        tasks.execute(
                "update twinbell.execution set state = 'RUNNING', ended_at = null, error = null, error_code = null");
        tasks.execute("update twinbell.parked set answer = null, answered_at = null, over_at = null");
        begins(engine());
        shows("DROPPED|1");
        assertEquals(Callbacks.Verdict.OVER, answer(parked.element(), ExecutionState.SUCCEEDED));
    }

    @Test
    void a_handler_that_fails_after_it_was_parked_fails_unless_it_was_answered_before() {
        Engine engine = engine();
        handler = context -> {
            Callback callback = context.park();
            if (context.name().equals("answered")) {
                answer(callback, ExecutionState.SUCCEEDED);
            }
            throw new IllegalStateException("broken");
        };
        insert("answered", StoredTasks.ONCE, now() - 2000, HOUR);
        insert("t", StoredTasks.ONCE, now() - 1000, HOUR);
        begins(engine);
        await().until(() -> count("FAILED") == 1 && count("SUCCEEDED") == 1);
    }

    @Test
    void a_run_whose_token_the_database_lost_fails_because_no_answer_can_come() {
        onRun(context -> parked.add(context.park()));
        HandTicker ticker = new HandTicker();
        Engine engine = engine(ticker, 1);
        engine.start(SystemTasks.Work.settling(engine::settle));
        insert("t", StoredTasks.ONCE, now() - 1000, HOUR);
        begins(engine);
        await().until(() -> {
            // A statement that failed is tried again after a pause by this clock.
            ticker.pass(Duration.ofMillis(10));
            return tasks.number("select count(*) from twinbell.parked where is_out") == 1;
        });
        await().until(() -> engine.parkedRuns() == 1);
        tasks.execute("delete from twinbell.parked");
        await().until(() -> {
            ticker.pass(Duration.ofSeconds(31));
            engine.callbackAnswered();
            return count("FAILED") == 1;
        });
        assertEquals(List.of("CALLBACK_LOST"), tasks.query("select error_code from twinbell.execution"));
        assertEquals(Callbacks.Verdict.UNKNOWN, answer(parked.element(), ExecutionState.SUCCEEDED));
    }

    @Test
    void a_task_without_a_timeout_cannot_be_parked() {
        Engine engine = engine();
        insert("t", StoredTasks.ONCE, now() - 1000);
        begins(engine);
        await().until(() -> count("FAILED") == 1);
        assertEquals(1, tasks.number("select count(*) from twinbell.execution where error like '%needs a timeout%'"));
    }

    /** Answers with the status that the path names. */
    private HttpServer receiver(List<String> tokens) throws IOException {
        return receiver(tokens, new ConcurrentLinkedQueue<>());
    }

    /** The same, and keeps what each call says of the checkpoint. */
    private HttpServer receiver(List<String> tokens, Queue<String> checkpoints) throws IOException {
        HttpServer server = HttpServer.create(new InetSocketAddress("127.0.0.1", 0), 0);
        server.setExecutor(Executors.newCachedThreadPool());
        server.createContext("/", exchange -> {
            String path = exchange.getRequestURI().getPath();
            String url = exchange.getRequestHeaders().getFirst("Twinbell-Callback");
            String token = exchange.getRequestHeaders().getFirst("Twinbell-Callback-Token");
            String id = url.replaceAll(".*/executions/(.*)/complete", "$1");
            Callback callback = new Callback(id, token, List.of(url), List.of());
            if (path.contains("early")) {
                answer(callback, ExecutionState.SUCCEEDED);
            }
            checkpoints.add(String.valueOf(exchange.getRequestHeaders().getFirst("Twinbell-Checkpoint")));
            synchronized (tokens) {
                tokens.add(token);
            }
            parked.add(callback);
            exchange.sendResponseHeaders(Integer.parseInt(path.substring(path.lastIndexOf('/') + 1)), -1);
            exchange.close();
        });
        server.start();
        opened.push(() -> server.stop(0));
        return server;
    }

    private void insertHttp(String name, HttpServer receiver, String path, String completion) {
        tasks.insert(
                name, """
                {"schedule":%s,"start":"2026-01-05T00:00:00.000Z","timeout":"PT1H","handler":{"type":"http","url":"http://127.0.0.1:%s/%s"%s}}""".formatted(StoredTasks.ONCE, receiver.getAddress().getPort(), path, completion), now() - 1000);
    }

    @Test
    void a_further_call_of_a_receiver_carries_the_checkpoint_of_the_attempt_before() throws IOException {
        Queue<String> checkpoints = new ConcurrentLinkedQueue<>();
        HttpServer receiver = receiver(new ArrayList<>(), checkpoints);
        Engine engine = engine();
        String retry = "},\"retry\":{\"maxAttempts\":2,\"backoff\":\"PT0.01S\"";
        insertHttp("t", receiver, "202", ",\"completion\":\"CALLBACK\"" + retry);
        begins(engine);
        areOut(1);
        answer(parked.remove(), ExecutionState.FAILED);
        engine.callbackAnswered();
        await().until(() -> {
            engine.ledgerChanged();
            return parked.size() == 1;
        });
        assertEquals(List.of("null", "{\"at\":0}"), List.copyOf(checkpoints));
    }

    @Test
    void an_http_call_that_is_answered_202_is_parked_and_any_other_answer_ends_it() throws IOException {
        List<String> tokens = new ArrayList<>();
        HttpServer receiver = receiver(tokens);
        Engine engine = engine();
        String callback = ",\"completion\":\"CALLBACK\"";
        insertHttp("accepted", receiver, "202", callback);
        insertHttp("done", receiver, "200", callback);
        insertHttp("broken", receiver, "500", callback);
        insertHttp("early", receiver, "early/202", callback);
        insertHttp("early-broken", receiver, "early/500", callback);
        begins(engine);
        await().untilAsserted(() -> assertEquals(
                List.of(
                        "accepted RUNNING",
                        "broken FAILED",
                        "done SUCCEEDED",
                        "early SUCCEEDED",
                        "early-broken SUCCEEDED"),
                tasks.query("select name || ' ' || state from twinbell.execution order by name")));
        await().until(() -> engine.parkedRuns() == 1);
        assertEquals(5, tokens.stream().distinct().count());
        assertTrue(tokens.stream().allMatch(token -> token.startsWith("tbc_")));
        for (Callback each : parked) {
            answer(each, ExecutionState.SUCCEEDED);
        }
        engine.callbackAnswered();
        await().until(() -> count("SUCCEEDED") == 4);
    }
}
