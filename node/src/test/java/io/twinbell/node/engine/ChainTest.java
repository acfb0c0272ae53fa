package io.twinbell.node.engine;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import io.twinbell.node.json.StrictJson;
import io.twinbell.persistence.testing.TestPostgres;
import io.twinbell.tools.check.history.LedgerReasons;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.postgresql.ds.PGSimpleDataSource;

/** Tasks that follow others, through the real ledger. */
class ChainTest {
    private static final PGSimpleDataSource DATABASE = TestPostgres.freshDatabase();
    private static final long NEVER = 7_000_000_000_000L;

    @AutoClose
    private final EngineBench bench = EngineBench.cleared(DATABASE, 1000);

    private static String link(String link, String... names) {
        StringBuilder followers = new StringBuilder();
        for (String name : names) {
            followers
                    .append(followers.isEmpty() ? "" : ",")
                    .append("{\"app\":\"test\",\"name\":\"")
                    .append(name)
                    .append("\"}");
        }
        return ",\"" + link + "\":[" + followers + "]";
    }

    /** A task that only follows others. */
    private long follower(String name, String... more) {
        return bench.task(name, StoredTasks.ONCE, NEVER, more);
    }

    /** Runs the task that is due, and then its followers, at least a millisecond later. */
    private void fire(int links) {
        bench.fireAll();
        for (int i = 0; i < links; i++) {
            bench.nowMillis += 20;
            bench.claimer.pendingChanged();
            bench.fireAll();
        }
    }

    private List<String> states() {
        return bench.tasks.query(
                "select name || ' ' || state from twinbell.execution order by name <> 'first', fire_time, name");
    }

    private String note() {
        return bench.tasks
                .query("select note from twinbell.execution order by fire_time")
                .get(0);
    }

    @Test
    void a_success_gives_its_followers_a_slot_with_its_output_as_data() {
        long first = bench.task(
                "first",
                StoredTasks.ONCE,
                bench.nowMillis,
                link("then", "second", "third"),
                link("thenOnFailure", "alarm"));
        follower("second", ",\"data\":{\"own\":1}");
        follower("third", ",\"data\":[2]");
        follower("alarm");
        bench.begin();
        bench.handler = context -> context.name().equals("first") ? "41 invoices" : context.data();
        fire(1);
        assertEquals(List.of("first SUCCEEDED", "second SUCCEEDED", "third SUCCEEDED"), states());
        assertEquals(
                2,
                bench.tasks.number("select count(*) from twinbell.execution where origin = 'CHAINED'"),
                "nobody looks for these in a schedule");
        JsonNode second = StrictJson.readStored(bench.tasks
                .query("select output from twinbell.execution where name = 'second'")
                .get(0));
        assertEquals(1, second.get("own").intValue());
        assertEquals(first, second.at("/parent/task/id").longValue());
        assertEquals("first", second.at("/parent/task/name").textValue());
        assertEquals("SUCCEEDED", second.at("/parent/state").textValue());
        assertEquals("41 invoices", second.at("/parent/output").textValue());
        assertEquals(1, second.at("/parent/depth").intValue());
        bench.tasks.assertRows(
                "select distinct reason from twinbell.execution where name <> 'first'", "then of test/first");
        JsonNode third = StrictJson.readStored(bench.tasks
                .query("select output from twinbell.execution where name = 'third'")
                .get(0));
        assertEquals(2, third.at("/value/0").intValue());
    }

    @Test
    void a_failure_is_followed_by_others() {
        bench.task("first", StoredTasks.ONCE, bench.nowMillis, link("then", "second"), link("thenOnFailure", "alarm"));
        follower("second");
        follower("alarm");
        bench.begin();
        bench.handler = context -> {
            if (context.name().equals("first")) {
                throw new IllegalStateException("the printer is out of paper");
            }
            return context.data();
        };
        fire(1);
        assertEquals(List.of("first FAILED", "alarm SUCCEEDED"), states());
        String output = bench.tasks
                .query("select output from twinbell.execution where name = 'alarm'")
                .get(0);
        assertTrue(output.contains("out of paper"), output);
    }

    @Test
    void a_skipped_or_cancelled_execution_has_no_follower() {
        long first =
                bench.task("first", StoredTasks.ONCE, NEVER, link("then", "second"), link("thenOnFailure", "second"));
        follower("second");
        for (String state : List.of("SKIPPED", "CANCELLED", "DROPPED")) {
            bench.tasks.execute("insert into twinbell.execution (task_id, fire_time, app, name, state) values (" + first
                    + ", clock_timestamp(), 'test', 'first', 'CLAIMED'); update twinbell.execution set state = '"
                    + state
                    + "' where state = 'CLAIMED'");
        }
        assertEquals(3, bench.tasks.number("select count(*) from twinbell.execution"));
    }

    @Test
    void an_outcome_that_is_said_twice_is_followed_once_and_a_refused_one_not_at_all() {
        bench.task("first", StoredTasks.ONCE, bench.nowMillis, link("then", "second"));
        follower("second");
        bench.begin();
        bench.trigger.step(bench.nowMillis * 1_000_000);
        bench.claimer.step();
        bench.claimer.step();
        bench.trigger.step(bench.nowMillis * 1_000_000);
        bench.claimer.step();
        bench.trigger.step(bench.nowMillis * 1_000_000);
        // Superseded between the run and its record.
        bench.openEpoch();
        bench.record();
        assertEquals(List.of("first CLAIMED"), states());

        bench.tasks.execute("update twinbell.execution set state = 'SUCCEEDED', ended_at = clock_timestamp()");
        bench.tasks.execute("update twinbell.execution set state = 'SUCCEEDED', note = 'again' where name = 'first'");
        assertEquals(List.of("first SUCCEEDED", "second PENDING"), states());
    }

    @Test
    void a_follower_that_is_missing_is_noted_and_hinders_no_other() {
        bench.task("first", StoredTasks.ONCE, bench.nowMillis, link("then", "later", "second"));
        follower("second");
        bench.begin();
        fire(1);
        assertEquals(List.of("first SUCCEEDED", "second SUCCEEDED"), states());
        assertEquals("then test/later: there is no such task", note());
    }

    @Test
    void a_follower_that_is_paused_is_skipped_and_says_why() {
        bench.task("first", StoredTasks.ONCE, bench.nowMillis, link("then", "second"));
        follower("second");
        bench.tasks.execute("update twinbell.task_state set state = 'PAUSED', state_reason = 'inventory'"
                + " where task_id = (select id from twinbell.task where name = 'second')");
        bench.begin();
        fire(1);
        bench.tasks.assertRows(
                "select state, reason from twinbell.execution where name = 'second'",
                "SKIPPED|then of test/first, but paused: inventory");
        assertTrue(LedgerReasons.isRefusedFollower("then of test/first, but paused: inventory"));
    }

    @Test
    void a_follower_under_a_standing_pause_is_skipped_and_says_why() {
        bench.task("first", StoredTasks.ONCE, bench.nowMillis, link("then", "second"));
        follower("second");
        bench.tasks.execute("update twinbell.full_task set tags = '{x}' where name = 'second';"
                + " insert into twinbell.standing_pause (key, reason, paused_by) values ('tag:x', 'inventory', 'bob')");
        bench.begin();
        fire(1);
        String reason = "then of test/first, but paused by bob for tag:x: inventory";
        bench.tasks.assertRows(
                "select state, reason from twinbell.execution where name = 'second'", "SKIPPED|" + reason);
        assertTrue(LedgerReasons.isRefusedFollower(reason));
    }

    @Test
    void a_chain_that_leads_back_to_itself_ends_after_a_hundred_and_says_so() {
        bench.task("first", StoredTasks.ONCE, bench.nowMillis, link("then", "second"));
        follower("second", link("then", "third"));
        follower("third", link("then", "second"));
        bench.begin();
        fire(104);
        assertEquals(101, bench.tasks.number("select count(*) from twinbell.execution where state = 'SUCCEEDED'"));
        bench.tasks.assertRows(
                "select note from twinbell.execution where note is not null",
                "then test/second: the chain ends here, 100 executions after its first");
    }

    @Test
    void a_followers_own_fire_times_are_left_to_its_schedule() {
        long task = bench.task("second", "{\"every\":\"PT0.015S\"}", NEVER);
        List<Long> given = LongStream.range(0, 30)
                .map(i -> StoredTasks.START + 1_000_000_000L + 995)
                .peek(end -> bench.tasks.query("select twinbell.chain('test', 'second', twinbell.instant(" + end
                        + "), 'because', '{\"depth\":1}')"))
                .boxed()
                .toList();
        assertEquals(30, given.size());
        List<String> millis =
                bench.tasks.query("select twinbell.millis(fire_time) from twinbell.execution where task_id = " + task
                        + " order by fire_time");
        assertEquals(30, millis.size());
        for (String fire : millis) {
            long since = Long.parseLong(fire) - StoredTasks.START;
            assertTrue(since % 15 != 0 && since % 10 != 0, fire);
        }
        assertEquals(StoredTasks.START + 1_000_000_000L + 996, Long.parseLong(millis.get(0)));
    }

    @Test
    void a_slot_that_its_successor_runs_still_knows_what_it_follows() {
        bench.task("first", StoredTasks.ONCE, bench.nowMillis, link("then", "second"));
        follower("second", ",\"orphan\":\"RERUN\"");
        bench.begin();
        bench.handler = context -> context.data();
        bench.fireAll();
        bench.nowMillis += 20;
        // The master claimed it, and died before it began.
        bench.tasks.execute("update twinbell.execution set state = 'CLAIMED', epoch = 1, node = 'a',"
                + " claimed_at = clock_timestamp() where state = 'PENDING'");
        var epoch = bench.begin();
        bench.ticker.pass(java.time.Duration.ofSeconds(2));
        bench.settler.step(epoch);
        fire(1);
        String output = bench.tasks
                .query("select output from twinbell.execution where name = 'second'")
                .get(0);
        assertTrue(output.contains("\"parent\""), output);
    }

    /** Ends executions of these tasks in one statement, as the recorder does. */
    private void endTogether(String parents) {
        bench.tasks.execute(
                "update twinbell.execution set state = 'SUCCEEDED', ended_at = clock_timestamp() where name like '"
                        + parents + "' and state in ('CLAIMED', 'PENDING')");
    }

    /** Claimed executions of tasks parent-1 to parent-n, each followed by the same tasks. */
    private void claimedParents(int count, String... followers) {
        bench.tasks.execute(
                "insert into twinbell.full_task (app, name, handler_type, definition) select 'test', 'parent-' || i, 'java', '"
                        + "{\"start\":\"2026-01-01T00:00:00Z\",\"schedule\":{\"at\":\"2199-01-01T00:00:00Z\"}"
                        + link("then", followers) + "}' from generate_series(1, " + count + ") i;"
                        + " insert into twinbell.task_state (task_id, state) select id, 'ACTIVE' from twinbell.full_task"
                        + " where name like 'parent-%';"
                        + " insert into twinbell.execution (task_id, fire_time, app, name, state) select id, clock_timestamp(), app, name,"
                        + " 'CLAIMED' from twinbell.full_task where name like 'parent-%'");
    }

    @Test
    void the_slot_of_a_follower_is_found_with_few_looks_however_many_it_has() {
        follower("second");
        long id = bench.tasks.number("select id from twinbell.task where name = 'second'");
        long from = StoredTasks.START + 1_000_000_001L;
        bench.tasks.execute("insert into twinbell.execution (task_id, fire_time, app, name, state) select " + id
                + ", twinbell.instant(m), 'test', 'second', 'PENDING' from generate_series(" + from + ", "
                + (from + 50_000)
                + ") m where m % 10 <> 0");
        String looks = "(select coalesce(sum(idx_scan), 0) from pg_stat_xact_user_tables where schemaname = 'twinbell'"
                + " and relname like 'execution%')";
        List<String> answer =
                bench.tasks.query("with before as materialized (select " + looks + " as n), slot as materialized ("
                        + "select f, n from before, twinbell.free_slots(" + id + ", " + from + ", 1) f)"
                        + " select f || ' ' || (" + looks + " - n < 100) from slot");
        assertEquals(List.of((from + 50_001) + " true"), answer);
    }

    @Test
    void the_slots_of_many_that_end_together_are_distinct_and_none_is_before_its_parents_end() {
        follower("second");
        follower("third");
        claimedParents(400, "second", "third");
        endTogether("parent-%");
        bench.tasks.assertRows(
                "select name || ' ' || count(distinct fire_time) || ' ' || count(distinct parent #>> '{task,id}')"
                        + " from twinbell.execution where origin = 'CHAINED' group by name order by name",
                "second 400 400",
                "third 400 400");
        assertEquals(
                0,
                bench.tasks.number("select count(*) from twinbell.execution c join twinbell.execution p"
                        + " on p.task_id = (c.parent #>> '{task,id}')::bigint where c.origin = 'CHAINED'"
                        + " and c.fire_time < date_trunc('milliseconds', p.ended_at)"));
    }

    @Test
    void a_slot_that_another_transaction_takes_meanwhile_is_passed_over() throws Exception {
        follower("second");
        claimedParents(3, "second");
        long id = bench.tasks.number("select id from twinbell.task where name = 'second'");
        // No chain uses a millisecond whose number ends in 0: the one after those that are taken must be another.
        long end = bench.tasks.number("select twinbell.now_millis()") / 10 * 10 + 60_005;
        try (var other = DATABASE.getConnection();
                var statement = other.createStatement()) {
            other.setAutoCommit(false);
            statement.execute("insert into twinbell.execution (task_id, fire_time, app, name, state) select " + id
                    + ", twinbell.instant(m), 'test', 'second', 'PENDING' from generate_series(" + end + ", "
                    + (end + 20) + ") m");
            Thread recorder = new Thread(() -> bench.tasks.execute("update twinbell.execution set state = 'SUCCEEDED',"
                    + " ended_at = twinbell.instant(" + end + ") where state = 'CLAIMED'"));
            recorder.start();
            await().until(() ->
                    bench.tasks.number("select count(*) from pg_stat_activity where wait_event_type = 'Lock'"
                                    + " and datname = current_database()")
                            > 0);
            other.commit();
            recorder.join();
        }
        assertEquals(3, bench.tasks.number("select count(*) from twinbell.execution where origin = 'CHAINED'"));
        assertEquals(
                21,
                bench.tasks.number("select twinbell.millis(min(fire_time)) - " + end
                        + " from twinbell.execution where origin = 'CHAINED'"));
    }

    @Test
    void no_more_than_ten_thousand_runs_descend_from_one_slot_and_what_is_refused_is_in_the_ledger() {
        String[] all = {"q1", "q2", "q3", "q4"};
        for (String name : all) {
            follower(name, link("then", all));
        }
        bench.tasks.execute(
                "insert into twinbell.execution (task_id, fire_time, app, name, state) select id, clock_timestamp(),"
                        + " app, name, 'CLAIMED' from twinbell.task where name = 'q1'");
        for (int depth = 1; depth <= 9; depth++) {
            endTogether("q%");
        }
        assertEquals(10_005, bench.tasks.number("select count(*) from twinbell.execution where state = 'SUCCEEDED'"));
        bench.tasks.assertRows(
                "select distinct name from twinbell.execution where state = 'SKIPPED' and reason like"
                        + " '%10000 runs have followed from %, and no more may' order by name",
                "q1", "q2", "q3", "q4");
        assertTrue(bench.tasks.query("select reason from twinbell.execution where state = 'SKIPPED'").stream()
                .allMatch(LedgerReasons::isRefusedFollower));
        long frontier = bench.tasks.number("select count(*) from twinbell.execution where note like '%no more may%'");
        assertTrue(frontier > 0, "each that should have been followed says so");
        assertEquals(0, bench.tasks.number("select count(*) from twinbell.execution where state = 'PENDING'"));
    }

    @Test
    void an_outcome_is_recorded_though_its_followers_cannot_be_entered() {
        bench.task("first", StoredTasks.ONCE, bench.nowMillis, link("then", "second"));
        follower("second");
        bench.tasks.execute("alter table twinbell.execution add constraint refuses check (name <> 'second')");
        try {
            bench.begin();
            fire(1);
            assertEquals(List.of("first SUCCEEDED"), states());
            assertTrue(note().startsWith("its followers got no slots: "), note());
        } finally {
            bench.tasks.execute("alter table twinbell.execution drop constraint refuses");
        }
    }
}
