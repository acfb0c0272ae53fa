package io.twinbell.node.engine;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.twinbell.handler.SnoozeException;
import io.twinbell.handler.TaskFailedException;
import io.twinbell.node.engine.trigger.SystemTasks;
import io.twinbell.node.execution.store.JdbcExecutionRequests;
import io.twinbell.persistence.clock.Ticker;
import io.twinbell.persistence.epoch.Epoch;
import io.twinbell.persistence.ledger.Slot;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Java handlers that return a stage: they hold no worker, and end as other handlers do. */
@Timeout(60)
class AsyncHandlerTest extends EngineFixture {
    private static final int MANY = 300;

    private final ConcurrentLinkedQueue<CompletableFuture<Object>> stages = new ConcurrentLinkedQueue<>();

    private CompletionStage<Object> opened() {
        CompletableFuture<Object> stage = new CompletableFuture<>();
        stages.add(stage);
        return stage;
    }

    /** Starts an engine with one worker, whose handler returns an open stage. */
    private Engine master() {
        Engine engine = engine(Ticker.SYSTEM, 1);
        engine.start(SystemTasks.Work.settling(engine::settle));
        handler = context -> opened();
        return engine;
    }

    private Epoch begins(Engine engine, int stagesOpen) {
        Epoch epoch = open();
        takes(engine, epoch);
        await().until(() -> stages.size() == stagesOpen);
        return epoch;
    }

    private List<String> outcomes() {
        return tasks.query("select concat_ws('|', state, attempt, output, split_part(error, chr(10), 1), error_code)"
                + " from twinbell.execution");
    }

    private void ends(String... rows) {
        await().untilAsserted(() -> assertEquals(List.of(rows), outcomes()));
    }

    @Test
    void one_worker_has_many_stages_open_at_once() {
        Engine engine = master();
        tasks.insertSeries(MANY, StoredTasks.json(StoredTasks.ONCE), now() - 1000);
        begins(engine, MANY);
        assertEquals(0, count("SUCCEEDED"));
        stages.forEach(stage -> stage.complete("done"));
        await().until(() -> count("SUCCEEDED") == MANY);
        assertEquals(MANY, tasks.number("select count(*) from twinbell.execution where output = 'done'"));
    }

    @Test
    void the_exception_of_a_stage_is_that_of_its_handler() {
        Engine engine = master();
        handler = context -> opened().thenApply(result -> {
            throw new CompletionException(new TaskFailedException("LEDGER_LOCKED", "the ledger is locked"));
        });
        insert("t", StoredTasks.ONCE, now() - 1000);
        begins(engine, 1);
        stages.element().complete("ready");
        ends("FAILED|1|io.twinbell.handler.TaskFailedException: the ledger is locked|LEDGER_LOCKED");
    }

    @Test
    void a_stage_can_ask_to_run_again_later() {
        Engine engine = master();
        insert("t", StoredTasks.ONCE, now() - 1000);
        begins(engine, 1);
        stages.element().completeExceptionally(new SnoozeException(Duration.ofHours(1), "not ready"));
        ends("RETRYING|1");
    }

    @Test
    void a_result_whose_text_cannot_be_computed_fails_its_attempt() {
        Engine engine = master();
        insert("t", StoredTasks.ONCE, now() - 1000);
        begins(engine, 1);
        stages.element().complete(new Object() {
            @Override
            public String toString() {
                throw new IllegalStateException("no text");
            }
        });
        ends("FAILED|1|java.lang.IllegalStateException: no text|HANDLER_EXCEPTION");
    }

    @Test
    void a_stage_that_is_open_at_the_timeout_is_cancelled() {
        Engine engine = master();
        insert("t", StoredTasks.ONCE, now() - 1000, ",\"timeout\":\"PT0.2S\"");
        begins(engine, 1);
        ends("TIMED_OUT|1|did not end within PT0.2S|TIMEOUT");
        await().until(() -> stages.element().isCancelled());
    }

    @Test
    void a_stage_that_is_no_future_times_out_as_well() {
        Engine engine = master();
        handler = context -> {
            CompletionStage<Object> stage = opened();
            return ((CompletableFuture<Object>) stage).minimalCompletionStage();
        };
        insert("t", StoredTasks.ONCE, now() - 1000, ",\"timeout\":\"PT0.2S\"");
        begins(engine, 1);
        ends("TIMED_OUT|1|did not end within PT0.2S|TIMEOUT");
        assertTrue(stages.element().complete("too late"));
        ends("TIMED_OUT|1|did not end within PT0.2S|TIMEOUT");
    }

    @Test
    void code_that_blocks_when_its_stage_is_cancelled_holds_up_no_other_timeout() {
        Engine engine = master();
        CountDownLatch blocks = new CountDownLatch(1);
        handler = context -> {
            CompletableFuture<Object> stage = new CompletableFuture<>();
            stage.whenComplete((result, thrown) -> {
                blocks.countDown();
                Eventually.stubbornlyFor(testIsOver);
            });
            stages.add(stage);
            return stage;
        };
        insert("first", StoredTasks.ONCE, now() - 2000, ",\"timeout\":\"PT0.1S\"");
        insert("second", StoredTasks.ONCE, now() - 1000, ",\"timeout\":\"PT0.3S\"");
        begins(engine, 2);
        await().until(() -> count("TIMED_OUT") == 2);
        assertTrue(Eventually.isOver(blocks));
    }

    @Test
    void a_cancel_request_ends_an_open_stage() {
        Engine engine = master();
        long fires = now() - 1000;
        long task = insert("t", StoredTasks.ONCE, fires);
        begins(engine, 1);
        new JdbcExecutionRequests(DATABASE).cancel(new Slot(task, fires), "cancelled: wrong month");
        engine.everythingChanged();
        await().until(() -> count("CANCELLED") == 1);
        await().until(() -> stages.element().isCancelled());
    }

    @Test
    void the_successor_settles_a_stage_that_its_process_took_along() {
        Engine engine = master();
        insert("dropped", StoredTasks.ONCE, now() - 1000);
        insert("again", StoredTasks.ONCE, now() - 1000, ",\"orphan\":\"RERUN\"");
        begins(engine, 2);

        handler = context -> CompletableFuture.completedFuture("attempt " + context.attempt());
        Engine next = engine(Ticker.SYSTEM);
        next.start(SystemTasks.Work.settling(next::settle));
        takes(next, open());
        next.settle();
        await().until(() -> count("DROPPED") == 1 && count("SUCCEEDED") == 1);
        assertEquals(List.of("attempt 2"), tasks.query("select output from twinbell.execution where name = 'again'"));
    }
}
