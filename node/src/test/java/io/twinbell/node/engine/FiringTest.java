package io.twinbell.node.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.sql.Connection;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** From the table to the ledger: due tasks are claimed, run and recorded. */
class FiringTest extends FiringFixture {
    @Test
    void a_due_task_is_claimed_run_and_recorded_and_goes_on_to_its_next_fire_time() {
        long fire = gridTime();
        long task = bench.task("t", StoredTasks.EVERY_SECOND, fire);
        bench.nowMillis = fire;
        bench.begin();
        bench.handler = context -> "out";
        bench.fireAll();
        assertEquals(List.of("t 0 1"), bench.ran);
        assertEquals(
                List.of("SUCCEEDED|out|a"), bench.tasks.query("select state, output, node from twinbell.execution"));
        assertEquals(fire + 1000, bench.nextOf(task));
        assertEquals(0, bench.runRegistry.size());
    }

    @Test
    void a_claim_is_durable_before_its_handler_starts() {
        long fire = gridTime();
        bench.task("t", StoredTasks.EVERY_SECOND, fire);
        bench.nowMillis = fire;
        bench.begin();
        bench.handler = context -> bench.ledger();
        bench.fireAll();
        assertEquals(List.of("[t CLAIMED 1]"), bench.tasks.query("select output from twinbell.execution"));
    }

    @Test
    void a_task_whose_row_an_application_holds_delays_itself_alone() throws Exception {
        long fire = gridTime();
        long held = bench.task("held", StoredTasks.EVERY_SECOND, fire);
        bench.task("free", StoredTasks.EVERY_SECOND, fire);
        bench.nowMillis = fire;
        bench.begin();
        try (Connection application = DATABASE.getConnection()) {
            application.setAutoCommit(false);
            application
                    .createStatement()
                    .execute("select * from twinbell.task_state where task_id = " + held + " for update");
            bench.fireAll();
            assertEquals(List.of("free 0 1"), bench.ran);
            application.rollback();
        }
        bench.fireAll();
        assertEquals(List.of("free 0 1", "held 0 1"), bench.ran);
    }

    @Test
    void the_runs_of_a_fixed_delay_follow_each_other() {
        long task = bench.task("t", StoredTasks.DELAY_OF_A_MINUTE, bench.nowMillis);
        bench.begin();
        bench.onRun(context -> {
            assertEquals(0, bench.tasks.number("select count(next_fire_time) from twinbell.task_state"));
            bench.nowMillis += 7000;
        });
        long began = bench.nowMillis;
        bench.fireAll();
        assertEquals(began + 67_000, bench.nextOf(task));
        bench.fireAll();
        bench.nowMillis = began + 67_000;
        bench.fireAll();
        assertEquals(2, bench.ran.size());
    }

    @Test
    void a_pending_row_is_claimed_and_run_whatever_its_task_does_meanwhile() {
        long task = bench.task("t", StoredTasks.EVERY_MINUTE, bench.nowMillis + 60_000);
        bench.tasks.execute("insert into twinbell.execution (task_id, fire_time, app, name, state, reason) values ("
                + task + ", twinbell.instant(" + (bench.nowMillis - 1) + "), 'test', 't', 'PENDING', 'by hand')");
        bench.beginAndFire();
        assertEquals(List.of("t -1 1"), bench.ran);
        assertEquals(List.of("SUCCEEDED|by hand"), bench.tasks.query("select state, reason from twinbell.execution"));
    }

    @Test
    void pending_rows_of_a_task_that_was_removed_or_cannot_be_read_get_an_outcome_too() {
        long bad = bench.tasks.insert("bad", "{}", bench.nowMillis + 60_000);
        bench.tasks.execute("insert into twinbell.execution (task_id, fire_time, app, name, state) values"
                + " (4711, twinbell.instant(" + bench.nowMillis + "), 'test', 'gone', 'PENDING'), (" + bad
                + ", twinbell.instant(" + bench.nowMillis + "), 'test', 'bad', 'PENDING')");
        bench.beginAndFire();
        assertEquals(
                List.of("bad FAILED 1", "gone CANCELLED 1"),
                bench.ledger().stream().sorted().toList());
    }

    @Test
    void waiting_rows_of_a_removed_task_are_not_claimed_faster_than_their_outcomes_are_recorded() {
        bench.tasks.execute("insert into twinbell.execution (task_id, fire_time, app, name, state)"
                + " select 4711, twinbell.instant(" + bench.nowMillis + " - n), 'test', 'gone', 'PENDING'"
                + " from generate_series(1, 6000) n");
        bench.begin();
        for (int step = 0; step < 100; step++) {
            bench.claimer.step();
        }
        String claimed = "select count(*) from twinbell.execution where state = 'CLAIMED'";
        int held = Integer.parseInt(bench.tasks.query(claimed).get(0));
        assertTrue(held >= 2000 && held < 4000, held + " claimed");
        bench.fireAll(20);
        assertEquals(
                List.of("CANCELLED 6000"),
                bench.tasks.query("select state || ' ' || count(*) from twinbell.execution group by state"));
    }

    @Test
    void a_slot_that_is_in_the_ledger_already_runs_nothing_and_lets_its_task_go_on() {
        long fire = gridTime();
        long task = bench.task("t", StoredTasks.EVERY_SECOND, fire);
        bench.tasks.execute("insert into twinbell.execution (task_id, fire_time, app, name, state) values (" + task
                + ", twinbell.instant(" + fire + "), 'test', 't', 'SUCCEEDED')");
        bench.nowMillis = fire;
        bench.beginAndFire();
        assertEquals(List.of(), bench.ran);
        assertEquals(fire + 1000, bench.nextOf(task));
    }

    @Test
    void no_more_runs_are_claimed_than_there_is_room_for_and_none_is_forgotten() {
        try (EngineBench narrow = new EngineBench(DATABASE, 3)) {
            IntStream.range(0, 10).forEach(i -> narrow.task("t" + i, StoredTasks.EVERY_MINUTE, narrow.nowMillis));
            narrow.begin();
            narrow.trigger.step(narrow.nowMillis * 1_000_000);
            narrow.claimer.step();
            narrow.claimer.step();
            assertEquals(3, narrow.ledger().size());
            for (int i = 0; i < 4; i++) {
                narrow.fireAll();
            }
            assertEquals(10, narrow.ran.size());
        }
    }

    @Test
    void an_output_with_any_characters_is_recorded() {
        bench.task("t", StoredTasks.EVERY_MINUTE, bench.nowMillis);
        bench.begin();
        bench.handler = context -> "half a pair \uD83D, a zero \0, a quote ' and a {brace,\"";
        bench.fireAll();
        assertEquals(List.of("t SUCCEEDED 1"), bench.ledger());
    }
}
