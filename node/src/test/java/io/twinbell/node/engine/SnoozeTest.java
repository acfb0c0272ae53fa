package io.twinbell.node.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.twinbell.handler.SnoozeException;
import io.twinbell.handler.TaskContext;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.postgresql.ds.PGSimpleDataSource;

/**
 * Attempts that ask to run again later: when the next one starts, what it counts for, and when the limit is reached.
 */
class SnoozeTest {
    private static final PGSimpleDataSource DATABASE = EngineBench.DATABASE;
    private static final String TWO = ",\"retry\":{\"maxAttempts\":2,\"backoff\":\"PT1S\",\"jitter\":0}";

    private final List<Long> starts = new ArrayList<>();

    @AutoClose
    private final EngineBench bench = EngineBench.cleared(DATABASE, 1000);

    private long began;
    /** What each attempt does: Z snoozes for 5 s, F fails, S succeeds. The last letter repeats. */
    private String script = "S";

    @BeforeEach
    void prepare() {
        began = bench.nowMillis;
        bench.handler = this::run;
    }

    private Object run(TaskContext context) throws SnoozeException {
        starts.add(bench.nowMillis - began);
        char act = script.charAt(Math.min(context.attempt(), script.length()) - 1);
        if (act == 'Z') {
            throw new SnoozeException(Duration.ofSeconds(5), "the export is not finished");
        } else if (act == 'F') {
            throw new IllegalStateException("no luck");
        }
        return "done";
    }

    @ParameterizedTest(name = "{0} → attempts at {1} ms, {2}")
    @CsvSource({
        "ZS,    0 5000,                 t SUCCEEDED 2",
        "ZZZS,  0 5000 10000 15000,     t SUCCEEDED 4",
        "ZZFS,  0 5000 10000 11000,     t SUCCEEDED 4",
        "ZFZF,  0 5000 6000 11000,      t FAILED 4",
        "FZS,   0 1000 6000,            t SUCCEEDED 3",
        "FZF,   0 1000 6000,            t FAILED 3"
    })
    void a_snooze_delays_the_next_attempt_and_uses_up_none(String acts, String at, String end) {
        script = acts;
        bench.task("t", StoredTasks.ONCE, began, TWO);
        bench.begin();
        passes(30_000, 500);
        assertEquals(at, String.join(" ", starts.stream().map(String::valueOf).toList()));
        assertEquals(List.of(end), bench.ledger());
    }

    @Test
    void the_row_of_a_snoozed_slot_says_how_often_and_its_attempts_say_why() {
        script = "Z";
        bench.task("t", StoredTasks.ONCE, began, "");
        bench.beginAndFire();
        bench.tasks.assertRows(
                "select state, attempt, snoozes, twinbell.millis(due_at) - " + began
                        + ", error, reason, attempts #>> '{0,state}', attempts #>> '{0,reason}'"
                        + " from twinbell.execution",
                "RETRYING|1|1|5000|||SNOOZED|the export is not finished");
    }

    @Test
    void a_successor_runs_it_when_it_is_due_and_counts_on() {
        script = "ZFZF";
        bench.task("t", StoredTasks.ONCE, began, TWO);
        bench.beginAndFire();
        try (EngineBench successor = new EngineBench(DATABASE, 1000)) {
            successor.handler = bench.handler;
            successor.nowMillis = began + 4999;
            successor.succeed();
            successor.fireAll();
            assertEquals(List.of("t RETRYING 1"), successor.ledger());
            for (successor.nowMillis = began + 5000; successor.nowMillis < began + 15_000; successor.nowMillis += 500) {
                successor.fireAll();
            }
            assertEquals(List.of("t FAILED 4"), successor.ledger());
            assertEquals(List.of("2"), successor.tasks.query("select snoozes from twinbell.execution"));
        }
    }

    @Test
    void a_task_that_kills_its_nodes_after_snoozes_still_runs_three_times() {
        bench.task("poison", StoredTasks.ONCE, began, ",\"orphan\":\"RERUN\"");
        List<EngineBench> dead = new ArrayList<>();
        int[] killed = new int[1];
        for (int i = 0; i < 8; i++) {
            EngineBench node = new EngineBench(DATABASE, 1000);
            node.nowMillis = began + i * 10_000L;
            boolean isFirst = i == 0;
            node.handler = context -> {
                if (isFirst) {
                    throw new SnoozeException(Duration.ofSeconds(5));
                }
                killed[0]++;
                // What a kill leaves behind: a claim whose process is gone.
                throw new Killed();
            };
            dead.add(node);
            node.succeed();
            if (isFirst) {
                node.fireAll();
            } else {
                node.fireAllAndDie();
            }
        }
        dead.forEach(EngineBench::close);
        assertEquals(3, killed[0]);
        assertEquals(List.of("poison FAILED 4"), bench.ledger());
    }

    private static final class Killed extends RuntimeException {
        private static final long serialVersionUID = 1L;
    }

    @Test
    void snoozes_are_no_failures_in_a_row() {
        script = "ZZF";
        long task = bench.task("t", StoredTasks.ONCE, began, ",\"pauseOnFailure\":2");
        bench.begin();
        passes(20_000, 500);
        assertEquals(List.of("t FAILED 3"), bench.ledger());
        bench.tasks.assertRows("select failures from twinbell.failure_streak where task_id = " + task, "1");
    }

    @Test
    void the_next_slots_are_skipped_while_it_waits() {
        script = "ZS";
        long first = Math.floorDiv(began, 1000L) * 1000;
        bench.nowMillis = first;
        bench.task("t", StoredTasks.EVERY_SECOND, first, "");
        bench.begin();
        passes(3000, 500);
        assertEquals(List.of("t RETRYING 1", "t SKIPPED 1", "t SKIPPED 1", "t SKIPPED 1"), bench.ledger());
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = ';', textBlock = """
            attempt = 999, snoozes = 999; RETRYING - 1000
            attempt = 1000, snoozes = 1000; FAILED SNOOZE_LIMIT 1000
            snoozes = 1, snoozed_since = twinbell.instant(%s - 604795000); RETRYING - 2
            snoozes = 1, snoozed_since = twinbell.instant(%s - 604795001); FAILED SNOOZE_LIMIT 1
            """)
    void an_execution_is_not_snoozed_for_ever(String history, String end) {
        script = "ZZ";
        bench.task("t", StoredTasks.ONCE, began, "");
        bench.beginAndFire();
        bench.nowMillis = began + 5000;
        bench.tasks.execute("update twinbell.execution set " + String.format(history, bench.nowMillis));
        bench.fireAll();
        bench.tasks.assertRows(
                "select concat_ws(' ', state, coalesce(error_code, '-'), snoozes)" + " from twinbell.execution", end);
    }

    @Test
    void a_snooze_that_goes_beyond_its_limit_says_so() {
        script = "Z";
        bench.task("t", StoredTasks.ONCE, began, "");
        bench.beginAndFire();
        bench.nowMillis = began + 5000;
        bench.tasks.execute("update twinbell.execution set attempt = 1000, snoozes = 1000");
        bench.fireAll();
        bench.tasks.assertRows(
                "select error from twinbell.execution",
                "the execution was snoozed 1000 times: the export is not finished");
    }

    @ParameterizedTest
    @ValueSource(strings = {"PT0S", "PT0.999S", "-PT1S", "PT168H0.001S"})
    void a_snooze_lasts_from_a_second_to_seven_days(Duration delay) {
        IllegalArgumentException refusal =
                assertThrows(IllegalArgumentException.class, () -> new SnoozeException(delay));
        assertTrue(refusal.getMessage().contains("1 second to 7 days"), refusal.getMessage());
    }

    private void passes(long millis, long step) {
        long until = bench.nowMillis + millis;
        for (; bench.nowMillis <= until; bench.nowMillis += step) {
            bench.fireAll(2);
        }
    }
}
