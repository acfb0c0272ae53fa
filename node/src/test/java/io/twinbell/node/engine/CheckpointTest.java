package io.twinbell.node.engine;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.twinbell.handler.TaskContext;
import io.twinbell.node.engine.trigger.SystemTasks;
import io.twinbell.node.execution.store.JdbcExecutionRequests;
import io.twinbell.persistence.clock.Ticker;
import io.twinbell.persistence.ledger.Slot;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What an attempt saves, and which later attempt receives it. */
@Timeout(60)
class CheckpointTest extends EngineFixture {
    private static final String TWO = ",\"retry\":{\"maxAttempts\":2,\"backoff\":\"PT1S\",\"jitter\":0}";
    private static final int LIMIT = 64 * 1024;

    private final List<String> received = new ArrayList<>();
    private EngineBench bench;
    private long began;

    @BeforeEach
    void prepare() {
        bench = bench();
        began = bench.nowMillis;
    }

    private EngineBench bench() {
        EngineBench made = new EngineBench(DATABASE, 1000);
        opened.push(made);
        made.handler = this::failsAtPage;
        return made;
    }

    /** Saves the number of its attempt, and fails. */
    private Object failsAtPage(TaskContext context) {
        received.add(context.lastCheckpoint());
        context.checkpoint("{ \"page\": " + context.attempt() + " }");
        throw new IllegalStateException("the connection broke");
    }

    private List<String> stored() {
        return tasks.query("select checkpoint from twinbell.execution");
    }

    @Test
    void the_next_attempt_receives_what_the_failed_one_saved() {
        bench.task("t", StoredTasks.ONCE, began, TWO);
        bench.beginAndFire();
        bench.nowMillis = began + 1000;
        bench.fireAll();
        assertEquals(Arrays.asList(null, "{ \"page\": 1 }"), received);
        assertEquals(List.of("t FAILED 2"), bench.ledger());
    }

    @Test
    void a_successor_hands_on_what_was_saved_before_the_node_died() {
        bench.task("t", StoredTasks.ONCE, began, RERUN);
        bench.begin();
        bench.fireAllAndDie();
        EngineBench successor = bench();
        successor.nowMillis = began + 1000;
        successor.succeed();
        successor.fireAll();
        assertEquals(Arrays.asList(null, "{ \"page\": 1 }"), received);
        assertEquals(List.of("t FAILED 2"), bench.ledger());
    }

    @Test
    void an_attempt_reads_back_the_latest_that_it_saved_itself() {
        bench.handler = context -> {
            context.checkpoint("1");
            context.checkpoint("2");
            return context.lastCheckpoint();
        };
        bench.task("t", StoredTasks.ONCE, began);
        bench.beginAndFire();
        assertEquals(List.of("2"), tasks.query("select output from twinbell.execution"));
    }

    @Test
    void a_master_that_was_superseded_saves_nothing() {
        bench.onRun(context -> {
            context.checkpoint("1");
            bench.openEpoch();
            String refusal = assertThrows(IllegalStateException.class, () -> context.checkpoint("2"))
                    .getMessage();
            received.add(refusal);
        });
        bench.task("t", StoredTasks.ONCE, began);
        bench.beginAndFire();
        assertEquals(1, received.size());
        assertTrue(received.get(0).contains("another node has taken over"), received.get(0));
        assertEquals(List.of("1"), stored());
    }

    @Test
    void an_attempt_that_is_over_saves_nothing() {
        List<TaskContext> contexts = new ArrayList<>();
        bench.handler = context -> {
            contexts.add(context);
            context.checkpoint("1");
            throw new IllegalStateException();
        };
        bench.task("t", StoredTasks.ONCE, began, TWO);
        bench.beginAndFire();
        assertThrows(IllegalStateException.class, () -> contexts.get(0).checkpoint("2"));
        bench.nowMillis = began + 1000;
        bench.handler = context -> {
            assertThrows(IllegalStateException.class, () -> contexts.get(0).checkpoint("3"));
            return context.lastCheckpoint();
        };
        bench.fireAll();
        assertEquals(List.of("1"), tasks.query("select output from twinbell.execution"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "{", "{} {}", "page 3", "{\"a\":1,\"a\":2}"})
    void what_is_not_json_is_refused(String text) {
        assertEquals(IllegalArgumentException.class, refusalOf(text));
    }

    @Test
    void a_checkpoint_has_at_most_64_kib_in_utf_8() {
        String twoBytes = "\u00e9";
        String longest = '"' + twoBytes.repeat(LIMIT / 2 - 1) + '"';
        assertEquals(null, refusalOf(longest));
        assertEquals(List.of(longest), stored());
        clear();
        assertEquals(IllegalArgumentException.class, refusalOf(longest + ' '));
    }

    /** Saves this text in a task's only attempt; returns what was thrown, or null. */
    private Class<?> refusalOf(String text) {
        List<Class<?>> thrown = new ArrayList<>();
        bench.onRun(context -> {
            try {
                context.checkpoint(text);
                thrown.add(null);
            } catch (RuntimeException e) {
                thrown.add(e.getClass());
            }
        });
        bench.task("t", StoredTasks.ONCE, began);
        bench.beginAndFire();
        return thrown.get(0);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void a_rerun_goes_on_after_a_failure_and_begins_anew_after_a_success(boolean fails) {
        bench.onRun(context -> {
            received.add(context.lastCheckpoint());
            context.checkpoint("7");
            if (fails) {
                throw new IllegalStateException();
            }
        });
        long task = bench.task("t", StoredTasks.ONCE, began);
        bench.beginAndFire();
        new JdbcExecutionRequests(DATABASE).rerun(new Slot(task, began), "by hand");
        bench.fireAll();
        assertEquals(Arrays.asList(null, fails ? "7" : null), received);
    }

    @Test
    void slots_that_were_claimed_in_one_row_save_and_end_each_for_itself() {
        Engine engine = engine(Ticker.SYSTEM, 2);
        handler = context -> {
            context.checkpoint("\"" + context.name() + "\"");
            return context.lastCheckpoint();
        };
        engine.start(SystemTasks.Work.settling(engine::settle));
        for (String name : List.of("a", "b", "c")) {
            insert(name, StoredTasks.ONCE, now() - 1000);
        }
        takes(engine, open());
        await().until(() -> count("SUCCEEDED") == 3);
        assertEquals(
                List.of("\"a\"|\"a\"", "\"b\"|\"b\"", "\"c\"|\"c\""),
                tasks.query("select output || '|' || checkpoint from twinbell.execution order by name"));
    }
}
