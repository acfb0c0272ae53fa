package io.twinbell.node.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.twinbell.persistence.epoch.Epoch;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.postgresql.ds.PGSimpleDataSource;

class LimitTest {
    private static final PGSimpleDataSource DATABASE = EngineBench.DATABASE;
    private static final String DB1 = ",\"concurrencyKey\":\"db1\"";

    @AutoClose
    private EngineBench bench = EngineBench.cleared(DATABASE, 1000);

    private void limit(String key, int maxRunning) {
        bench.tasks.execute("insert into twinbell.run_limit (key, max_running) values ('" + key + "', " + maxRunning
                + ") on conflict (key) do update set max_running = excluded.max_running");
        bench.limits.changed();
    }

    private void rate(String key, int max, String per) {
        bench.tasks.execute("insert into twinbell.run_limit (key, rate_max, rate_per) values ('" + key + "', " + max
                + ", '" + per + "')");
        bench.limits.changed();
    }

    private void once(int tasks, String... more) {
        for (int i = 0; i < tasks; i++) {
            bench.task("t" + i, StoredTasks.ONCE, bench.nowMillis - 1000 + i, more);
        }
    }

    private long number(String sql) {
        return bench.tasks.number(sql);
    }

    private long claimed() {
        return number("select count(*) from twinbell.execution where state = 'CLAIMED'");
    }

    /** While a handler is at it: how many others are claimed beside it. */
    private List<Long> claimedBesideEach() {
        List<Long> beside = new ArrayList<>();
        bench.onRun(context -> beside.add(claimed()));
        return beside;
    }

    @Test
    void no_more_are_claimed_than_the_limit_lets_run_and_all_run_in_the_end() {
        limit("db1", 2);
        once(7, DB1);
        List<Long> beside = claimedBesideEach();
        bench.beginAndFire();
        assertEquals(2, bench.ran.size(), "the others wait, unclaimed");
        assertEquals(0, number("select count(*) from twinbell.execution where state <> 'SUCCEEDED'"));
        bench.fireAll(3);
        assertEquals(7, bench.ran.size());
        assertTrue(beside.stream().allMatch(claimed -> claimed <= 2), beside.toString());
        bench.tasks.assertRows("select state || ' ' || count(*) from twinbell.execution group by state", "SUCCEEDED 7");
    }

    @Test
    void tasks_outside_the_limit_are_not_held_up() {
        limit("db1", 1);
        once(3, DB1);
        bench.task("free", StoredTasks.ONCE, bench.nowMillis);
        bench.beginAndFire();
        assertEquals(List.of("t0", "free"), bench.names());
    }

    @Test
    void app_tag_and_handler_are_limited_like_a_key() {
        for (String key : List.of("app:test", "tag:nightly", "handler:java", "handler:k")) {
            bench.close();
            bench = EngineBench.cleared(DATABASE, 1000);
            limit(key, 1);
            once(2);
            bench.tasks.execute(
                    "update twinbell.full_task set tags = '{nightly}', handler_type = 'java', handler_key = 'k'");
            bench.beginAndFire();
            assertEquals(1, bench.ran.size(), key);
        }
    }

    @Test
    void the_most_urgent_of_those_that_wait_goes_first() {
        limit("db1", 1);
        bench.task("running", StoredTasks.ONCE, bench.nowMillis - 2000, DB1);
        bench.task("usual", StoredTasks.ONCE, bench.nowMillis - 1000, DB1);
        bench.task("urgent", StoredTasks.ONCE, bench.nowMillis, DB1, ",\"priority\":9");
        bench.begin();
        bench.fireAll(4);
        assertEquals(List.of("urgent", "running", "usual"), bench.names());
    }

    @Test
    void slots_that_wait_beyond_the_threshold_are_a_misfire_like_any_others() {
        limit("db1", 1);
        bench.task("first", StoredTasks.EVERY_SECOND, bench.nowMillis - bench.nowMillis % 1000, DB1);
        bench.task("second", StoredTasks.EVERY_SECOND, bench.nowMillis - bench.nowMillis % 1000, DB1);
        bench.onRun(context -> {
            if (bench.ran.size() == 1) {
                bench.passes(60_000);
            }
        });
        bench.beginAndFire();
        bench.fireAll(2);
        bench.tasks.assertRows("select slots from twinbell.execution where name = 'second' and state = 'MISSED'", "60");
        assertTrue(bench.ran.stream().anyMatch(run -> run.startsWith("second")));
        assertEquals(0, bench.registry.counter("heap_misses").getCount());
    }

    @Test
    void a_lifted_limit_lets_all_of_them_go() {
        limit("db1", 1);
        once(5, DB1);
        bench.onRun(context -> {
            if (bench.ran.size() == 1) {
                bench.tasks.execute("delete from twinbell.run_limit");
                bench.limits.changed();
                bench.passes(0);
            }
        });
        bench.beginAndFire();
        assertEquals(5, bench.ran.size());
    }

    @Test
    void a_limit_that_is_set_counts_what_runs_already() {
        once(4, DB1);
        bench.onRun(context -> {
            if (bench.ran.size() == 1) {
                limit("db1", 1);
                bench.task("late", StoredTasks.ONCE, bench.nowMillis, DB1);
                bench.requests.addAll();
                bench.passes(0);
                assertEquals(0, number("select count(*) from twinbell.execution where name = 'late'"));
            }
        });
        bench.beginAndFire();
        assertEquals(4, bench.ran.size());
        bench.fireAll();
        assertEquals(5, bench.ran.size());
    }

    @Test
    void a_removed_task_that_waits_holds_up_nobody() {
        limit("db1", 1);
        once(4, DB1);
        bench.onRun(context -> bench.tasks.execute("delete from twinbell.task where name in ('t1', 't2')"));
        bench.begin();
        bench.fireAll(3);
        assertEquals(List.of("t0", "t3"), bench.names());
    }

    @Test
    void tasks_that_were_edited_to_another_key_while_they_waited_hold_up_nobody() {
        limit("db1", 1);
        once(60, DB1);
        bench.onRun(context -> {
            if (bench.ran.size() == 1) {
                bench.tasks.execute("update twinbell.full_task set definition = definition - 'concurrencyKey'"
                        + " where name not in ('t0', 't59')");
                bench.requests.add(bench.tasks.query("select id::text from twinbell.task").stream()
                        .mapToLong(Long::parseLong)
                        .toArray());
                bench.passes(0);
            }
        });
        bench.beginAndFire();
        bench.fireAll();
        assertEquals(59, bench.ran.size(), "all but the last have no limit any more");
        while (bench.claimer.step() == 0) {
            // The claimer sleeps when it has nothing to do, and only then.
        }
        bench.fireAll();
        assertEquals(60, bench.ran.size());
    }

    @Test
    void a_waiting_row_waits_under_its_limit_until_there_is_room() {
        limit("db1", 1);
        long task = bench.task("busy", StoredTasks.ONCE, bench.nowMillis, DB1);
        bench.onRun(context -> {
            if (bench.ran.size() == 1) {
                for (int i = 1; i <= 3; i++) {
                    bench.tasks.execute("insert into twinbell.execution (task_id, fire_time, app, name, state, origin)"
                            + " values (" + task + ", twinbell.instant(" + (bench.nowMillis - i) + "), 'test', 'busy',"
                            + " 'PENDING', 'TRIGGERED')");
                }
                bench.claimer.pendingChanged();
                bench.passes(0);
                bench.tasks.assertRows(
                        "select state || ' ' || held_by || ' ' || count(*) from twinbell.execution"
                                + " where state <> 'CLAIMED' group by state, held_by",
                        "PENDING db1 3");
            }
        });
        bench.begin();
        bench.fireAll(5);
        assertEquals(4, bench.ran.size());
        bench.tasks.assertRows(
                "select state || ' ' || coalesce(held_by, 'null')"
                        + " || ' ' || count(*) from twinbell.execution group by state, held_by",
                "SUCCEEDED null 4");
    }

    @Test
    void a_retry_waits_for_room_and_its_attempt_is_counted_once() {
        limit("db1", 1);
        bench.task(
                "flaky",
                StoredTasks.ONCE,
                bench.nowMillis - 10,
                DB1,
                ",\"retry\":{\"maxAttempts\":2,\"backoff\":\"PT1S\"}");
        bench.task("other", StoredTasks.ONCE, bench.nowMillis, DB1);
        bench.onRun(context -> {
            if (context.name().equals("flaky") && context.attempt() == 1) {
                throw new IllegalStateException("first");
            }
            if (context.name().equals("other")) {
                bench.passes(5000);
            }
        });
        bench.begin();
        bench.fireAll(4);
        assertEquals(List.of("flaky SUCCEEDED 2", "other SUCCEEDED 1"), bench.ledger());
    }

    @Test
    void a_successor_counts_what_the_old_master_is_still_finishing() {
        limit("db1", 2);
        once(2, DB1);
        Epoch old = bench.begin();
        bench.handler = context -> {
            throw new ThreadDeath();
        };
        bench.fireAllAndDie();
        bench.tasks.execute("update twinbell.epoch set resigned_at = clock_timestamp(), draining_epoch = epoch,"
                + " draining_token = owner_token, draining_until = clock_timestamp() + interval '1 hour'");
        bench.close();
        bench = new EngineBench(DATABASE, 1000);
        bench.limits.changed();
        bench.task("new", StoredTasks.ONCE, bench.nowMillis, DB1);
        Epoch epoch = bench.begin();
        assertTrue(epoch.number() > old.number());
        bench.fireAll();
        assertEquals(List.of(), bench.ran, "two of two are running elsewhere");
        bench.tasks.execute("update twinbell.execution set state = 'SUCCEEDED' where epoch = " + old.number());
        bench.nowMillis += 200;
        bench.fireAll();
        assertEquals(1, bench.ran.size());
    }

    @Test
    void executions_that_a_master_held_for_a_limit_are_freed_by_its_successor() {
        long task = bench.task("t", StoredTasks.ONCE, bench.nowMillis + 3_600_000);
        bench.tasks.execute(
                "insert into twinbell.execution (task_id, fire_time, app, name, state, held_by, origin) values (" + task
                        + ", twinbell.instant(" + (bench.nowMillis - 5)
                        + "), 'test', 't', 'PENDING', 'long gone', 'TRIGGERED')");
        bench.beginAndFire();
        assertEquals(1, bench.ran.size());
    }

    @Test
    void no_more_start_in_a_period_than_the_rate_allows() {
        rate("db1", 3, "10 seconds");
        once(8, DB1);
        bench.begin();
        bench.limits.readLimits();
        long began = bench.nowMillis;
        bench.fireAll();
        assertEquals(3, bench.ran.size());
        bench.nowMillis = began + 9_000;
        bench.fireAll();
        assertEquals(3, bench.ran.size());
        bench.nowMillis = began + 10_000;
        bench.fireAll();
        assertEquals(6, bench.ran.size());
        bench.nowMillis = began + 20_000;
        bench.fireAll();
        assertEquals(8, bench.ran.size());
    }

    @Test
    void a_successor_knows_what_its_predecessor_started_in_the_period() {
        rate("db1", 3, "1 hour");
        once(5, DB1);
        bench.begin();
        bench.limits.readLimits();
        bench.fireAll();
        assertEquals(3, bench.ran.size());
        bench.close();
        bench = new EngineBench(DATABASE, 1000);
        bench.beginAndFire();
        assertEquals(0, bench.ran.size(), "not known yet, so nothing starts");
        bench.limits.readLimits();
        bench.fireAll();
        assertEquals(0, bench.ran.size(), "three of three");
        bench.tasks.execute("update twinbell.execution set claimed_at = claimed_at - interval '2 hours'");
        bench.begin();
        bench.limits.readLimits();
        bench.fireAll();
        assertEquals(2, bench.ran.size());
    }

    @Test
    void a_slot_that_is_skipped_for_another_run_uses_up_no_start() {
        rate("db1", 2, "1 hour");
        bench.task("slow", StoredTasks.EVERY_SECOND, bench.nowMillis - bench.nowMillis % 1000, DB1);
        bench.onRun(context -> {
            if (bench.ran.size() == 1) {
                for (int i = 0; i < 5; i++) {
                    bench.passes(1000);
                }
            }
        });
        bench.begin();
        bench.limits.readLimits();
        bench.fireAll();
        assertEquals(5, number("select count(*) from twinbell.execution where state = 'SKIPPED'"));
        bench.nowMillis += 1000;
        bench.fireAll();
        assertEquals(2, bench.ran.size());
    }

    @Test
    void an_attempt_that_is_tried_again_at_once_counts_as_a_second_start() {
        rate("db1", 2, "1 hour");
        bench.task(
                "flaky",
                StoredTasks.ONCE,
                bench.nowMillis - 10,
                DB1,
                ",\"retry\":{\"maxAttempts\":2,\"backoff\":\"PT1S\"}");
        bench.onRun(context -> {
            if (context.name().equals("flaky") && context.attempt() == 1) {
                throw new IllegalStateException("first");
            }
        });
        bench.begin();
        bench.limits.readLimits();
        bench.fireAll();
        bench.nowMillis += 5000;
        bench.fireAll();
        bench.task("third", StoredTasks.ONCE, bench.nowMillis, DB1);
        bench.requests.addAll();
        bench.fireAll();
        assertEquals(List.of("flaky SUCCEEDED 2"), bench.ledger());
    }

    @Test
    void a_slot_that_is_claimed_in_vain_takes_no_room_from_the_run_that_has_it() {
        limit("db1", 1);
        long task = bench.task("t", StoredTasks.ONCE, bench.nowMillis, DB1);
        bench.onRun(context -> {
            if (context.name().equals("t")) {
                // As if a copy of the table from before the claim had come back: the ledger has the slot.
                bench.tasks.execute(
                        "update twinbell.task_state set state = 'ACTIVE', next_fire_time = twinbell.instant("
                                + context.fireTime().toEpochMilli() + "), previous_fire_time = null where task_id = "
                                + task);
                bench.requests.add(task);
                bench.passes(0);
                bench.task("other", StoredTasks.ONCE, bench.nowMillis, DB1);
                bench.requests.addAll();
                bench.passes(0);
                assertEquals(1, bench.ran.size(), "the room is taken until this run has ended");
            }
        });
        bench.beginAndFire();
        bench.fireAll();
        assertEquals(2, bench.ran.size());
    }

    @Test
    void an_answer_that_is_lost_leaves_no_room_taken() {
        limit("db1", 1);
        once(3, DB1);
        bench.begin();
        bench.losesTheNextAnswer();
        bench.fireAll(4);
        assertEquals(3, bench.ran.size());
    }
}
