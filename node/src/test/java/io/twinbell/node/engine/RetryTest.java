package io.twinbell.node.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.twinbell.handler.TaskContext;
import io.twinbell.handler.TaskFailedException;
import io.twinbell.node.engine.handler.HandlerOutcome;
import io.twinbell.node.engine.run.Run;
import io.twinbell.node.engine.task.Retry;
import io.twinbell.node.engine.task.RetryCodes;
import io.twinbell.node.engine.worker.RetryDecision;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.postgresql.ds.PGSimpleDataSource;

/** Further attempts: when they start, how many there are, and what the ledger says about them. */
class RetryTest {
    private static final PGSimpleDataSource DATABASE = EngineBench.DATABASE;
    private static final String THREE = ",\"retry\":{\"maxAttempts\":3,\"backoff\":\"PT1S\",\"jitter\":0}";

    private final List<Long> starts = new ArrayList<>();

    @AutoClose
    private final EngineBench bench = EngineBench.cleared(DATABASE, 1000);

    private int failures;
    private long began;

    @BeforeEach
    void prepare() {
        began = bench.nowMillis;
        failures = Integer.MAX_VALUE;
        bench.handler = this::failing;
    }

    @ParameterizedTest(name = "{0}: {1} failures → attempts at {2}, {3}")
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            "maxAttempts":1                                                       | 9 | 0                    | FAILED
            "maxAttempts":3,"backoff":"PT1S","multiplier":2,"jitter":0            | 2 | 0 1000 3000          | SUCCEEDED
            "maxAttempts":3,"backoff":"PT1S","multiplier":2,"jitter":0            | 9 | 0 1000 3000          | FAILED
            "maxAttempts":3,"backoff":"PT1S","multiplier":2,"jitter":0            | 0 | 0                    | SUCCEEDED
            "maxAttempts":5,"backoff":"PT1S","multiplier":3,"maxBackoff":"PT5S","jitter":0 | 9 | 0 1000 4000 9000 14000 | FAILED
            "maxAttempts":4,"backoff":"PT2S","multiplier":1,"jitter":0            | 9 | 0 2000 4000 6000     | FAILED
            "maxAttempts":3,"backoff":"PT0S","jitter":0                           | 9 | 0 0 0                | FAILED
            """)
    void a_failure_is_tried_again_when_its_policy_says(String retry, int fails, String expected, String end) {
        failures = fails;
        bench.task("t", StoredTasks.ONCE, began, ",\"retry\":{" + retry + "}");
        bench.begin();
        passes(20_000, 500);
        assertEquals(expected, starts.stream().map(String::valueOf).collect(Collectors.joining(" ")));
        assertEquals(List.of("t " + end + " " + starts.size()), bench.ledger());
    }

    @Test
    void while_it_waits_the_row_says_so_and_when_it_goes_on() {
        bench.task("t", StoredTasks.ONCE, began, THREE);
        bench.beginAndFire();
        bench.tasks.assertRows(
                "select state, attempt, twinbell.millis(due_at) - " + began
                        + ", substring(error from 'no luck[^\\n\\r]*') from twinbell.execution",
                "RETRYING|1|1000|no luck with attempt 1");
    }

    /** The number of the next attempt would not fit, and the claim of all waiting rows would fail with this one. */
    @Test
    void a_row_by_hand_with_the_greatest_attempt_delays_no_other() {
        bench.task("t", StoredTasks.ONCE, began, THREE);
        bench.task("u", StoredTasks.ONCE, began, THREE);
        bench.beginAndFire();
        bench.tasks.execute("update twinbell.execution set attempt = " + Integer.MAX_VALUE + " where name = 't'");
        failures = 0;
        passes(2000, 500);
        assertEquals(List.of("t SUCCEEDED " + Integer.MAX_VALUE, "u SUCCEEDED 2"), bench.ledger());
    }

    @Test
    void the_row_keeps_what_became_of_the_attempts_before() {
        bench.task("t", StoredTasks.ONCE, began, THREE);
        bench.begin();
        passes(5000, 500);
        bench.tasks.assertRows(
                "select concat_ws(' ', a ->> 'attempt', a ->> 'state', a ->> 'node',"
                        + " (a ->> 'startedAt')::bigint - " + began + ") from twinbell.execution,"
                        + " jsonb_array_elements(attempts) as a where a ->> 'error' like '%no luck%'",
                "1 FAILED a 0",
                "2 FAILED a 1000");
    }

    @Test
    void the_row_and_each_attempt_keep_the_code_of_their_error_and_a_success_has_none() {
        bench.task("t", StoredTasks.ONCE, began, THREE);
        String[] codes = {"STOCK_EMPTY", "STOCK_LOCKED", null};
        bench.handler = context -> {
            String code = codes[context.attempt() - 1];
            if (code != null) {
                throw new TaskFailedException(code, "no luck");
            }
            return "done";
        };
        bench.beginAndFire();
        bench.tasks.assertRows("select state, error_code from twinbell.execution", "RETRYING|STOCK_EMPTY");
        passes(5000, 500);
        bench.tasks.assertRows(
                "select state, error_code is null, concat_ws(' ', attempts #>> '{0,errorCode}',"
                        + " attempts #>> '{1,errorCode}') from twinbell.execution",
                "SUCCEEDED|t|STOCK_EMPTY STOCK_LOCKED");
    }

    @ParameterizedTest(name = "{0} → {1}")
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            "onlyOn":["STOCK_EMPTY"]                        | FAILED 3 -
            "onlyOn":["STOCK_*"]                            | FAILED 3 -
            "onlyOn":["STOCK"]                              | FAILED 1 not tried again, because retry.onlyOn does not name STOCK_EMPTY
            "onlyOn":["HTTP_5*","TIMEOUT"]                  | FAILED 1 not tried again, because retry.onlyOn does not name STOCK_EMPTY
            "notOn":["HTTP_5*"]                             | FAILED 3 -
            "notOn":["HTTP_5*","STOCK_EMPTY"]               | FAILED 1 not tried again, because retry.notOn names STOCK_EMPTY
            "onlyOn":["STOCK_*"],"notOn":["STOCK_EMPTY"]    | FAILED 1 not tried again, because retry.notOn names STOCK_EMPTY
            """)
    void a_failure_is_tried_again_only_if_the_policy_allows_its_code(String codes, String end) {
        bench.task("t", StoredTasks.ONCE, began, ",\"retry\":{\"maxAttempts\":3,\"backoff\":\"PT0S\"," + codes + "}");
        bench.handler = context -> {
            throw new TaskFailedException("STOCK_EMPTY", "no luck");
        };
        bench.begin();
        passes(20, 1);
        bench.tasks.assertRows(
                "select state || ' ' || attempt || ' ' || coalesce(reason, '-') from twinbell.execution", end);
    }

    @ParameterizedTest(name = "backoff {0} ms, at most {1}; the receiver asks for {2} → {3} ms")
    @CsvSource({
        "1000, PT1M, PT0S, 1000",
        "1000, PT1M, PT30S, 30000",
        "1000, PT1M, PT0.5S, 1000",
        "1000, PT1M, PT59M, 3540000",
        "1000, PT1M, PT25H, 3600000",
        "1000, PT12H, PT25H, 43200000"
    })
    void a_receiver_can_ask_for_a_longer_wait_within_its_bound(
            long backoff, Duration most, Duration asked, long waits) {
        var definition = StoredTasks.definition(
                StoredTasks.EVERY_MINUTE,
                ",\"retry\":{\"maxAttempts\":3,\"jitter\":0,\"backoff\":\"PT" + backoff / 1000 + "S\",\"maxBackoff\":\""
                        + most + "\"}");
        Run run = new Run(TestRuns.epoch(1), TestRuns.attempt(7, StoredTasks.START, 1), definition, 0, 0);
        HandlerOutcome failed =
                HandlerOutcome.failed("HTTP_503", "not now", null).asking(asked);
        assertEquals(5000 + waits, RetryDecision.next(run, failed, 5000).dueMillis());
    }

    @Test
    void a_long_history_keeps_the_newest_fifty_attempts() {
        bench.task("t", StoredTasks.ONCE, began, ",\"retry\":{\"maxAttempts\":60,\"backoff\":\"PT0S\"}");
        bench.begin();
        passes(20, 1);
        bench.tasks.assertRows(
                "select name || ' ' || state || ' ' || attempt, jsonb_array_length(attempts),"
                        + " attempts -> 0 ->> 'attempt' from twinbell.execution",
                "t FAILED 60|50|10");
    }

    @Test
    void a_successor_picks_the_next_attempt_up_when_it_is_due_and_not_before() {
        failures = 1;
        bench.task("t", StoredTasks.ONCE, began, THREE);
        bench.beginAndFire();
        try (EngineBench successor = new EngineBench(DATABASE, 1000)) {
            successor.nowMillis = began + 999;
            EngineBench dead = bench;
            successor.handler = context -> "by the successor";
            successor.succeed();
            successor.fireAll();
            assertEquals(List.of("t RETRYING 1"), dead.ledger());
            successor.nowMillis = began + 1000;
            successor.fireAll();
            assertEquals(List.of("t -1000 2"), successor.ran);
            assertEquals(List.of("t SUCCEEDED 2"), dead.ledger());
        }
    }

    @ParameterizedTest(name = "{0} → {1} runs, {2}")
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            "orphan":"RERUN"                             | 3 | FAILED 3
            "orphan":"RERUN","retry":{"maxAttempts":2}   | 3 | FAILED 3
            "orphan":"RERUN","retry":{"maxAttempts":5}   | 5 | FAILED 5
            "orphan":"DROP"                              | 1 | DROPPED 1
            "orphan":"DROP","retry":{"maxAttempts":5}    | 1 | DROPPED 1
            """)
    void a_task_that_kills_its_nodes_comes_to_an_end(String policies, int runs, String end) {
        bench.task("poison", StoredTasks.ONCE, began, "," + policies);
        int[] killed = new int[1];
        for (int i = 0; i < 7; i++) {
            try (EngineBench node = new EngineBench(DATABASE, 1000)) {
                node.nowMillis = began + i * 10_000L;
                node.handler = context -> {
                    killed[0]++;
                    // What a kill leaves behind: a claim whose process is gone.
                    throw new Killed();
                };
                node.succeed();
                node.fireAllAndDie();
            }
        }
        assertEquals(runs, killed[0]);
        assertEquals(List.of("poison " + end), bench.ledger());
    }

    private static final class Killed extends RuntimeException {
        private static final long serialVersionUID = 1L;
    }

    @Test
    void a_task_that_retries_is_unfinished_and_its_next_slots_are_skipped() {
        long first = Math.floorDiv(began, 1000L) * 1000;
        bench.nowMillis = first;
        bench.task(
                "t",
                StoredTasks.EVERY_SECOND,
                first,
                ",\"retry\":{\"maxAttempts\":2,\"backoff\":\"PT3.5S\",\"jitter\":0}");
        bench.begin();
        passes(5000, 500);
        assertEquals(
                List.of("t FAILED 2", "t SKIPPED 1", "t SKIPPED 1", "t SKIPPED 1", "t RETRYING 1", "t SKIPPED 1"),
                bench.ledger());
    }

    @Test
    void a_successor_knows_that_a_task_retries() {
        long first = Math.floorDiv(began, 1000L) * 1000;
        bench.nowMillis = first;
        bench.task(
                "t",
                StoredTasks.EVERY_SECOND,
                first,
                ",\"retry\":{\"maxAttempts\":2,\"backoff\":\"PT30S\",\"jitter\":0}");
        bench.beginAndFire();
        try (EngineBench successor = new EngineBench(DATABASE, 1000)) {
            successor.nowMillis = first + 1000;
            successor.drainingTasks.read();
            successor.begin();
            successor.fireAll();
            assertEquals(List.of(), successor.ran);
            assertEquals(List.of("t RETRYING 1", "t SKIPPED 1"), bench.ledger());
        }
    }

    @Test
    void a_fixed_delay_counts_from_the_end_of_the_last_attempt() {
        long task = bench.task("t", StoredTasks.DELAY_OF_A_MINUTE, began, THREE);
        bench.beginAndFire();
        assertEquals(0, bench.tasks.number("select count(next_fire_time) from twinbell.task_state"));
        passes(5000, 500);
        assertEquals(began + 3000 + 60_000, bench.nextOf(task));
    }

    @Test
    void a_fixed_delay_does_not_go_on_while_its_run_waits_for_a_retry() {
        bench.task("t", StoredTasks.DELAY_OF_A_MINUTE, began, THREE);
        var epoch = bench.beginAndFire();
        bench.settler.step(epoch);
        assertEquals(0, bench.tasks.number("select count(next_fire_time) from twinbell.task_state"));
    }

    @Test
    void a_further_attempt_of_a_task_that_was_removed_is_cancelled() {
        bench.task("t", StoredTasks.ONCE, began, THREE);
        bench.beginAndFire();
        bench.tasks.execute("delete from twinbell.task");
        passes(2000, 500);
        assertEquals(List.of("t CANCELLED 2"), bench.ledger());
    }

    @Test
    void waits_of_different_slots_are_spread_by_the_jitter_and_the_same_for_the_same_attempt() {
        var definition =
                StoredTasks.definition(StoredTasks.EVERY_MINUTE, ",\"retry\":{\"maxAttempts\":3,\"jitter\":0.5}");
        var failed = HandlerOutcome.failed("X", "x", null);
        List<Long> waits = new ArrayList<>();
        for (int slot = 0; slot < 1000; slot++) {
            Run run = new Run(
                    TestRuns.epoch(1), TestRuns.attempt(7, StoredTasks.START + slot * 60_000L, 1), definition, 0, 0);
            long wait = RetryDecision.next(run, failed, 0).dueMillis();
            assertEquals(wait, RetryDecision.next(run, failed, 0).dueMillis());
            waits.add(wait);
        }
        assertTrue(waits.stream().allMatch(wait -> 500 <= wait && wait <= 1500), waits.toString());
        assertTrue(waits.stream().anyMatch(wait -> wait < 600) && waits.stream().anyMatch(wait -> wait > 1400));
    }

    @Test
    void a_wait_never_overflows() {
        Retry retry = new Retry(1000, Duration.ofDays(7), 100, Duration.ofDays(7), 1, RetryCodes.ALL);
        assertEquals(2 * Duration.ofDays(7).toMillis(), retry.waitMillis(999, 1));
        assertEquals(0, retry.waitMillis(1, 0));
    }

    private Object failing(TaskContext context) {
        starts.add(bench.nowMillis - began);
        if (failures-- > 0) {
            throw new IllegalStateException("no luck with attempt " + context.attempt());
        }
        return null;
    }

    private void passes(long millis, long step) {
        long until = bench.nowMillis + millis;
        for (; bench.nowMillis <= until; bench.nowMillis += step) {
            bench.fireAll(3);
        }
    }
}
