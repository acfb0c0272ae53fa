package io.twinbell.node.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.sql.Connection;
import java.util.List;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.postgresql.ds.PGSimpleDataSource;

/** Tasks that fail too often in a row are paused. */
class PauseOnFailureTest {
    private static final PGSimpleDataSource DATABASE = EngineBench.DATABASE;

    @AutoClose
    private final EngineBench bench = EngineBench.cleared(DATABASE, 1000);

    private long first;
    private String pattern = "";
    private int executions;

    @BeforeEach
    void prepare() {
        first = Math.floorDiv(bench.nowMillis, 1000L) * 1000;
        bench.nowMillis = first;
        bench.handler = context -> next();
    }

    /** F fails, S succeeds. */
    @ParameterizedTest(name = "{0} with {1} → paused after {2}")
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            "pauseOnFailure":1                                                    | FSSS   | 1
            "pauseOnFailure":2                                                    | FFSS   | 2
            "pauseOnFailure":2                                                    | FSFSFS | 0
            "pauseOnFailure":3                                                    | FFSFFF | 6
            "pauseOnFailure":3                                                    | SSFFSF | 0
            "pauseOnFailure":2,"retry":{"maxAttempts":2,"backoff":"PT0S"}         | FFFSFF | 0
            "pauseOnFailure":1,"retry":{"maxAttempts":2,"backoff":"PT0S"}         | FSFF   | 4
            """)
    void so_many_failed_executions_in_a_row_pause_their_task(String policies, String outcomes, int pausedAfter) {
        pattern = outcomes;
        long task = bench.task("t", StoredTasks.EVERY_SECOND, first, "," + policies);
        bench.begin();
        fireEverySecond(outcomes.length());
        assertEquals(pausedAfter == 0 ? outcomes.length() : pausedAfter, Math.min(executions, outcomes.length()));
        assertEquals(pausedAfter == 0 ? "ACTIVE" : "PAUSED", stateOf(task));
    }

    @Test
    void the_task_says_why_it_is_paused_and_when_it_goes_on_the_count_begins_anew() {
        pattern = "FFFFSS";
        long task = bench.task("t", StoredTasks.EVERY_SECOND, first, ",\"pauseOnFailure\":2");
        bench.begin();
        fireEverySecond(4);
        assertEquals(2, executions);
        bench.tasks.assertRows(
                "select state_reason, version from twinbell.task_state", "2 executions in a row have failed|2");
        bench.tasks.execute(
                "update twinbell.task_state set state = 'ACTIVE', version = 3, next_fire_time = twinbell.instant("
                        + bench.nowMillis + ")");
        bench.requests.add(task);
        fireEverySecond(1);
        assertEquals("ACTIVE", stateOf(task), "one failure since");
        fireEverySecond(1);
        assertEquals("PAUSED", stateOf(task));
    }

    @Test
    void an_alert_that_wants_to_know_of_it_gets_one_event() {
        bench.tasks.execute("insert into twinbell.alert (name, content, events) values ('ops', '{}', '{TASK_PAUSED}')");
        pattern = "FFFF";
        long task = bench.task("t", StoredTasks.EVERY_SECOND, first, ",\"pauseOnFailure\":2");
        bench.begin();
        fireEverySecond(4);
        bench.tasks.assertRows(
                "delete from twinbell.alert_event returning alert, event, about ->> 'taskId', about ->> 'reason'",
                "ops|TASK_PAUSED|" + task + "|2 executions in a row have failed");
        bench.tasks.execute("delete from twinbell.alert");
    }

    @Test
    void the_count_survives_the_master() {
        pattern = "FFFF";
        long task = bench.task("t", StoredTasks.EVERY_SECOND, first, ",\"pauseOnFailure\":3");
        bench.begin();
        fireEverySecond(2);
        try (EngineBench successor = new EngineBench(DATABASE, 1000)) {
            successor.nowMillis = bench.nowMillis;
            successor.handler = context -> next();
            successor.begin();
            successor.fireAll();
        }
        assertEquals("PAUSED", stateOf(task));
    }

    @Test
    void a_superseded_master_pauses_nobody() {
        pattern = "FF";
        long task = bench.task("t", StoredTasks.EVERY_SECOND, first, ",\"pauseOnFailure\":1");
        bench.begin();
        bench.handler = context -> {
            bench.openEpoch();
            return next();
        };
        bench.fireAll();
        assertEquals("ACTIVE", stateOf(task));
        assertEquals(0, bench.tasks.number("select count(*) from twinbell.failure_streak"));
    }

    @Test
    void a_row_that_an_application_locks_delays_nothing_and_its_task_is_paused_later() throws Exception {
        pattern = "F";
        long task = bench.task("t", StoredTasks.EVERY_SECOND, first, ",\"pauseOnFailure\":1");
        var epoch = bench.begin();
        try (Connection application = DATABASE.getConnection()) {
            application.setAutoCommit(false);
            bench.handler = context -> {
                application.createStatement().execute("select * from twinbell.task_state for update");
                return next();
            };
            bench.fireAll();
            assertEquals(List.of("t FAILED 1"), bench.ledger());
            application.rollback();
        }
        assertEquals("ACTIVE", stateOf(task));
        bench.settler.step(epoch);
        assertEquals("PAUSED", stateOf(task));
    }

    private Object next() {
        char outcome = executions < pattern.length() ? pattern.charAt(executions) : 'S';
        executions++;
        if (outcome == 'F') {
            throw new IllegalStateException("F");
        }
        return null;
    }

    private void fireEverySecond(int times) {
        for (int i = 0; i < times; i++) {
            bench.fireAll(3);
            // The master hears of the pause as of any change.
            bench.requests.addAll();
            bench.nowMillis += 1000;
        }
    }

    private String stateOf(long task) {
        return bench.tasks
                .query("select state from twinbell.task_state where task_id = " + task)
                .get(0);
    }
}
