package io.twinbell.node.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.twinbell.node.json.StrictJson;
import io.twinbell.node.schedule.Calendars;
import io.twinbell.node.task.TaskChanges;
import io.twinbell.node.task.reader.TaskMembers;
import io.twinbell.persistence.task.JdbcTaskStore;
import io.twinbell.persistence.task.TaskPause;
import io.twinbell.persistence.testing.TestPostgres;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.postgresql.ds.PGSimpleDataSource;

/** Tasks that an application writes by SQL, from its commit to the ledger. */
class ArrivalTest {
    private static final PGSimpleDataSource DATABASE = TestPostgres.freshDatabase();
    private static final String K = "{\"type\":\"java\",\"key\":\"k\"}";

    @AutoClose
    private final EngineBench bench = EngineBench.cleared(DATABASE, 1000);

    private long add(String name, String schedule, String options) {
        return bench.tasks.number(
                "select twinbell.add_task('shop', ?, ?::jsonb, '" + K + "', ?::jsonb)", name, schedule, options);
    }

    /** When the task's transaction was, by the database's clock. */
    private long arrivedMillis(long task) {
        return bench.tasks.number("select twinbell.millis(at) from twinbell.arrival where task_id = " + task);
    }

    private String state(long task) {
        return bench.tasks
                .query("select state, state_reason from twinbell.task_state where task_id = " + task)
                .get(0);
    }

    private int unread() {
        return (int) bench.tasks.number(
                "select (select count(*) from twinbell.arrival) + (select count(*) from twinbell.removal)");
    }

    private String lacking(String name) {
        return bench.tasks
                .query("select lacking from twinbell.task where name = '" + name + "'")
                .get(0);
    }

    /** Replaces the task by SQL, as a role that may use no handler but java would. */
    private void replaceWithoutRights(String name, String schedule) {
        bench.tasks.execute("begin; set local twinbell.actor = '{\"actor\": \"token ed\", \"lacking\": [\"shell\"]}';"
                + " select twinbell.add_task('shop', '" + name + "', '" + schedule + "', '" + K
                + "', '{\"ifExists\": \"REPLACE\", \"then\": [\"end\"]}'); commit");
    }

    @Test
    void a_replacement_leads_a_chain_with_its_authors_rights_until_somebody_else_stores_the_task() {
        long task = add("start", "{\"in\":\"PT48H\"}", "{}");
        bench.settler.step(bench.begin());
        replaceWithoutRights("start", "{\"in\":\"PT48H\"}");
        assertEquals("{}", lacking("start"), "the task is as it was");
        bench.settler.step(bench.begin());
        assertEquals(0, unread());
        assertEquals("{\"shell\": \"grant \\\"shell\\\"\"}", lacking("start"));

        new JdbcTaskStore(DATABASE)
                .change(
                        task,
                        TaskChanges.patch(
                                (ObjectNode) StrictJson.read("{\"priority\":3}".getBytes(StandardCharsets.UTF_8)),
                                Calendars.NONE));
        assertEquals("{}", lacking("start"), "an embedded node has no author that lacks anything");
    }

    @Test
    void a_replacement_of_a_task_that_has_finished_meanwhile_keeps_its_authors_rights() {
        long task = add("start", "{\"in\":\"PT48H\"}", "{}");
        bench.settler.step(bench.begin());
        replaceWithoutRights("start", "{\"in\":\"PT72H\"}");
        bench.tasks.execute(
                "update twinbell.task_state set state = 'FINISHED', next_fire_time = null where task_id = " + task);
        bench.settler.step(bench.begin());
        assertEquals(0, bench.tasks.number("select count(*) from twinbell.task where id = " + task));
        assertEquals("{\"shell\": \"grant \\\"shell\\\"\"}", lacking("start"));
    }

    @Test
    void a_task_is_read_by_the_masters_next_pass_and_fires_counted_from_its_transaction() {
        long task = add("order-1", "{\"in\":\"PT48H\"}", "{\"data\":{\"n\":7}}");
        long arrived = arrivedMillis(task);
        bench.handler = io.twinbell.handler.TaskContext::data;
        bench.settler.step(bench.begin());
        assertEquals(0, unread());
        assertEquals(arrived + Duration.ofHours(48).toMillis(), bench.nextOf(task));
        bench.nowMillis = bench.nextOf(task);
        bench.requests.add(task);
        bench.fireAll();
        assertEquals(List.of("order-1 0 1"), bench.ran);
        bench.tasks.assertRows("select output from twinbell.execution", "{\"n\":7}");
    }

    /** If this fails after a default has changed: {@code twinbell.usual_options} has to follow it. */
    @Test
    void a_row_that_says_every_default_already_is_not_written_again() {
        add("alone", "{\"every\":\"PT1H\"}", "{}");
        add("with-data", "{\"every\":\"PT1H\"}", "{\"data\":{\"b\":1.50,\"a\":[null]},\"priority\":7}");
        bench.tasks.query("select twinbell.add_tasks('[{\"app\":\"shop\",\"name\":\"listed\",\"schedule\":"
                + "{\"at\":\"2030-01-01T00:00:00.000Z\"},\"handler\":" + K + "}]')");
        add("rewritten", "{\"every\":\"PT1H\"}", "{\"misfire\":{\"policy\":\"SKIP\"}}");
        String rows = "select name, xmin from twinbell.task where name <> 'rewritten' order by name";
        String rewritten = "select xmin from twinbell.task where name = 'rewritten'";
        List<String> before = bench.tasks.query(rows);
        List<String> beforeRewriting = bench.tasks.query(rewritten);
        bench.settler.step(bench.begin());
        assertEquals(0, unread());
        assertEquals(before, bench.tasks.query(rows));
        assertNotEquals(beforeRewriting, bench.tasks.query(rewritten), "it lacks a default");
    }

    private long schedule(String name, String instant, String data) {
        return bench.tasks.number(
                "select twinbell.schedule('shop', 'k', ?, ?::timestamptz, ?::jsonb)", name, instant, data);
    }

    /** Its definition, state and fire time, apart from the start. */
    private String row(long task) {
        return bench.tasks.row(
                "select definition - 'start', handler_key, tags, chained, state, priority, next_fire_time,"
                        + " state_reason from twinbell.full_task t join twinbell.task_state s on s.task_id = t.id where t.id = "
                        + task);
    }

    @ParameterizedTest
    @ValueSource(strings = {"{\"order\": 1}", "[]", "5", "{\"a\": null}"})
    void the_short_way_stores_what_the_master_makes_of_the_long_one(String data) {
        String at = "2190-02-28T12:00:00.250Z";
        long given = add("long", "{\"at\":\"" + at + "\"}", "{\"data\":" + data + "}");
        bench.settler.step(bench.begin());
        long scheduled = schedule("short", at, data);
        assertEquals(0, unread(), "there is nothing to read");
        assertEquals(row(given), row(scheduled));
        assertEquals(1, bench.tasks.number("select count(distinct definition_id) from twinbell.task"));
        assertEquals(scheduled, schedule("short", "2190-02-28T13:00:00Z", null), "it will still fire");
        assertEquals(row(given), row(scheduled));
        bench.tasks.execute("update twinbell.task_state set state = 'FINISHED' where task_id = " + scheduled);
        assertNotEquals(scheduled, schedule("short", at, data));
    }

    @Test
    void the_short_way_leaves_to_the_master_what_it_has_to_look_up() {
        bench.begin();
        schedule("due", "2020-01-01T00:00:00Z", null);
        assertEquals(1, unread());
        bench.tasks.execute("insert into twinbell.task_defaults values ('app:shop', '{\"timeout\": \"PT9S\"}')");
        long defaulted = schedule("defaulted", "2190-01-01T00:00:00Z", null);
        assertEquals(2, unread());
        bench.settler.step(bench.openEpoch());
        assertEquals("ACTIVE|", state(defaulted));
    }

    @Test
    void it_gets_the_defaults_of_its_app_and_of_the_cluster() {
        bench.tasks.query(
                "insert into twinbell.task_defaults (key, content) values ('cluster', '{\"overlap\":\"ALLOW\"}'),"
                        + " ('app:shop', '{\"overlap\":\"QUEUE\",\"schedule\":{\"zone\":\"Asia/Tokyo\"}}') returning 1");
        add("plain", "{\"cron\":\"0 12 * * *\"}", "{}");
        add("own", "{\"cron\":\"0 12 * * *\",\"zone\":\"UTC\"}", "{\"overlap\":\"SKIP\"}");
        bench.tasks.query("select twinbell.add_tasks('[{\"app\":\"shop\",\"name\":\"listed\",\"schedule\":"
                + "{\"every\":\"PT1H\"},\"handler\":" + K + "}]')");
        bench.settler.step(bench.begin());
        bench.tasks.assertRows(
                "select name, definition ->> 'overlap', definition #>> '{schedule,zone}',"
                        + " definition ->> 'origins' from twinbell.full_task order by name",
                "listed|QUEUE||{\"overlap\": \"APP\"}",
                "own|SKIP|UTC|",
                "plain|QUEUE|Asia/Tokyo|{\"overlap\": \"APP\", \"schedule.zone\": \"APP\"}");
        bench.tasks.query("delete from twinbell.task_defaults returning 1");
    }

    @Test
    void it_is_stored_with_every_default_spelled_out() {
        long viaApi = new JdbcTaskStore(DATABASE)
                .insert(io.twinbell.node.task.TaskReader.newTask(
                        StrictJson.readStored("{\"app\":\"shop\",\"name\":\"api\",\"schedule\":{\"every\":\"PT1H\"},"
                                + "\"handler\":" + K + ",\"tags\":[\"b\",\"a\"],\"overlap\":\"ALLOW\"}"),
                        bench.nowMillis,
                        Calendars.NONE))
                .orElseThrow()
                .id();
        long viaSql =
                add("sql", "{\"every\":\"PT1H\"}", "{\"tags\":[\"b\",\"a\"],\"overlap\":\"ALLOW\",\"timeout\":null}");
        bench.settler.step(bench.begin());
        bench.tasks.assertRows(
                "select count(distinct definition - 'start'), count(distinct handler_key)"
                        + " from twinbell.full_task where id in (" + viaApi + "," + viaSql + ")",
                "1|1");
    }

    @Test
    void a_master_that_dies_before_it_has_read_it_costs_no_slot() {
        bench.begin();
        long task = add("every-second", "{\"every\":\"PT1S\"}", "{\"overlap\":\"ALLOW\"}");
        long arrived = arrivedMillis(task);
        // The first master never got to it; ten seconds later there is another one.
        bench.nowMillis = arrived + 10_000;
        bench.settler.step(bench.begin());
        assertEquals(arrived + 1000, bench.nextOf(task), "owed from its transaction on");
        bench.requests.add(task);
        bench.fireAll(3);
        bench.tasks.assertRows(
                "select count(*), min(twinbell.millis(fire_time)), max(twinbell.millis(fire_time))"
                        + " from twinbell.execution where state = 'SUCCEEDED'",
                "10|" + (arrived + 1000) + "|" + (arrived + 10_000));
    }

    @ParameterizedTest
    @CsvSource(delimiter = ';', quoteCharacter = '\u0001', textBlock = """
            {"cron":"0 0 30 2 *"}; {}; /schedule/cron
            {"cron":"0 0 * * ABC"}; {}; /schedule/cron
            {"cron":"0 2 * * *"}; {"end":"2100-01-01T00:00:00Z","start":"2099-12-31T23:00:00Z"}; /schedule
            {}; {}; /schedule
            {"in":"PT1H","every":"PT1H"}; {}; /schedule
            {"in":5}; {}; /schedule/in
            {"in":"banana"}; {}; /schedule/in
            {"at":"2026-01-01T00:00:00Z","past":"REFUSE"}; {}; /schedule/at
            {"rrule":"FREQ=OFTEN","dtstart":"2026-01-05"}; {}; /schedule/rrule
            {"in":"PT1H"}; {"overlap":"SKPI"}; /overlap
            {"in":"PT1H"}; {"orphan":1}; /orphan
            {"in":"PT1H"}; {"priority":5.5}; /priority
            {"in":"PT1H"}; {"onExcluded":"NEXT","jitter":"PT1S"}; /
            {"in":"PT1H"}; {"calendars":["nowhere"]}; /calendars
            {"in":"PT1H"}; {"then":[{"name":"a","ap":"b"}]}; /then
            {"in":"PT1H"}; {"then":5}; /then
            {"in":"PT1H"}; {"end":"2020-01-01T00:00:00Z"}; /end
            """)
    void what_only_the_master_can_read_puts_the_task_into_state_ERROR(String schedule, String options, String pointer) {
        long bad = add("bad", schedule, options);
        long good = add("good", "{\"every\":\"PT1H\"}", "{}");
        bench.settler.step(bench.begin());
        assertTrue(state(bad).startsWith("ERROR|" + pointer), state(bad));
        assertEquals("ACTIVE|", state(good));
        assertEquals(0, unread());
    }

    @Test
    void it_respects_calendars_and_is_found_when_one_changes() {
        bench.tasks.execute("insert into twinbell.calendar (name, content) values ('never', '{\"mode\":\"ALLOW\","
                + "\"dates\":[\"2020-01-01\"]}'), ('open', '{}')");
        long never = add("never", "{\"every\":\"PT1H\"}", "{\"calendars\":[\"never\"]}");
        long open = add("open", "{\"every\":\"PT1H\"}", "{\"calendars\":[\"open\"]}");
        long unknown = add("unknown", "{\"every\":\"PT1H\"}", "{\"calendars\":[\"open\"]}");
        bench.tasks.execute("update twinbell.full_task set definition ="
                + " jsonb_set(definition, '{calendars}', '[\"unknown\"]') where id = " + unknown);
        bench.settler.step(bench.begin());
        assertTrue(state(never).startsWith("ERROR|/calendars: "), state(never));
        assertTrue(state(unknown).startsWith("ERROR|/calendars/0: "), state(unknown));
        assertEquals("ACTIVE|", state(open));
        bench.tasks.assertRows("select task_id, calendar from twinbell.task_calendar", open + "|open");
    }

    @Test
    void one_that_is_paused_stays_paused_and_has_its_fire_time() {
        long disabled = add("disabled", "{\"every\":\"PT1H\"}", "{\"enabled\":false}");
        long paused = add("paused", "{\"every\":\"PT1H\"}", "{}");
        new JdbcTaskStore(DATABASE).change(paused, TaskChanges.pause("by hand", TaskPause.NONE));
        bench.settler.step(bench.begin());
        assertEquals("PAUSED|disabled", state(disabled));
        assertEquals("PAUSED|by hand", state(paused));
        assertTrue(bench.nextOf(disabled) > 0 && bench.nextOf(paused) > 0);
    }

    @Test
    void an_edit_that_came_before_the_master_stands() {
        long task = add("order-1", "{\"in\":\"PT48H\"}", "{}");
        var patch = (com.fasterxml.jackson.databind.node.ObjectNode)
                StrictJson.readStored("{\"schedule\":{\"in\":null,\"every\":\"PT1H\"},\"owner\":\"editor\"}");
        long next = new JdbcTaskStore(DATABASE)
                .change(task, TaskChanges.patch(patch, Calendars.NONE))
                .orElseThrow()
                .progress()
                .nextFireMillis()
                .orElseThrow();
        bench.settler.step(bench.begin());
        assertEquals(next, bench.nextOf(task));
        bench.tasks.assertRows("select owner from twinbell.full_task", "editor");
        assertEquals(0, unread());
    }

    @Test
    void a_replacement_moves_the_fire_time_and_counts_from_its_own_transaction() {
        long task = add("order-1", "{\"in\":\"PT48H\"}", "{\"owner\":\"first\"}");
        bench.settler.step(bench.begin());
        assertEquals(task, add("order-1", "{\"in\":\"PT72H\"}", "{\"ifExists\":\"REPLACE\"}"));
        long arrived = arrivedMillis(task);
        bench.settler.step(bench.openEpoch());
        assertEquals(arrived + Duration.ofHours(72).toMillis(), bench.nextOf(task));
        bench.tasks.assertRows("select owner from twinbell.full_task", "");
    }

    @Test
    void a_replacement_of_a_task_that_nobody_has_looked_at_counts_as_well() {
        long task = add("order-1", "{\"in\":\"PT48H\"}", "{}");
        add("order-1", "{\"every\":\"PT1H\",\"mode\":\"FIXED_DELAY\"}", "{\"ifExists\":\"REPLACE\",\"enabled\":false}");
        bench.settler.step(bench.begin());
        assertEquals("PAUSED|disabled", state(task));
        assertTrue(bench.nextOf(task) > 0);
        assertEquals(0, unread());
    }

    @Test
    void a_replacement_that_cannot_be_read_stops_the_task_and_says_why() {
        long task = add("order-1", "{\"in\":\"PT48H\"}", "{}");
        bench.settler.step(bench.begin());
        add("order-1", "{\"cron\":\"0 0 30 2 *\"}", "{\"ifExists\":\"REPLACE\"}");
        bench.settler.step(bench.openEpoch());
        assertTrue(state(task).startsWith("ERROR|its replacement by SQL: /schedule/cron"), state(task));
    }

    @Test
    void a_row_that_somebody_holds_is_left_for_the_next_pass() throws Exception {
        long held = add("held", "{\"every\":\"PT1H\"}", "{}");
        long free = add("free", "{\"every\":\"PT1H\"}", "{}");
        var epoch = bench.begin();
        try (Connection application = DATABASE.getConnection()) {
            application.setAutoCommit(false);
            application.createStatement().execute("select 1 from twinbell.task where id = " + held + " for update");
            bench.settler.step(epoch);
            assertTrue(bench.nextOf(free) > 0);
            assertEquals(1, unread());
            application.rollback();
        }
        bench.settler.step(epoch);
        assertEquals(0, unread());
    }

    @Test
    void as_many_held_rows_as_go_in_a_step_keep_no_other_waiting() throws Exception {
        for (int i = 0; i < 250; i++) {
            add("held-" + i, "{\"every\":\"PT1H\"}", "{}");
        }
        long free = add("free", "{\"every\":\"PT1H\"}", "{}");
        var epoch = bench.begin();
        try (Connection application = DATABASE.getConnection()) {
            application.setAutoCommit(false);
            application.createStatement().execute("select 1 from twinbell.task where id < " + free + " for update");
            bench.settler.step(epoch);
            assertTrue(bench.nextOf(free) > 0);
            assertEquals(250, unread());
            application.rollback();
        }
    }

    @Test
    void a_task_whose_table_somebody_locks_is_left_for_the_next_pass_and_keeps_its_state() {
        // Its missing defaults are written to the row, as the lock of an index that is being built would prevent.
        long task = add("order-1", "{\"at\":\"2199-01-01T00:00:00Z\"}", "{}");
        bench.tasks.execute("update twinbell.full_task set definition = definition - 'misfire' where id = " + task);
        bench.tasks.execute("create function refuse() returns trigger language plpgsql as"
                + " 'begin raise exception ''locked'' using errcode = ''lock_not_available''; end';"
                + " create trigger refuse before update on twinbell.task for each row execute function refuse()");
        bench.settler.step(bench.begin());
        assertEquals("ACTIVE|", state(task).replace("null", ""));
        assertEquals(1, unread());
        bench.tasks.execute("drop trigger refuse on twinbell.task; drop function refuse");
        bench.settler.step(bench.begin());
        assertEquals(0, unread());
    }

    @Test
    void thousands_of_one_transaction_are_taken_in_page_by_page() {
        bench.tasks.query("select twinbell.add_task('shop', 'order-' || n, '{\"in\":\"PT48H\"}', '" + K + "', '{}')"
                + " from generate_series(1, 2000) as n");
        var epoch = bench.begin();
        int passes = 1;
        while (bench.settler.step(epoch).toMillis() < 1000) {
            passes++;
        }
        assertEquals(3, passes, "five pages each, and the last page was full too");
        assertEquals(0, unread());
        assertEquals(
                2000, bench.tasks.number("select count(*) from twinbell.task_state where next_fire_time is not null"));
    }

    @Test
    void slots_that_a_removal_passed_over_are_in_the_ledger() {
        long task = bench.task("t", StoredTasks.EVERY_SECOND, bench.nowMillis / 1000 * 1000 - 5000);
        bench.tasks.assertRows("select twinbell.remove_task(" + task + ")", "t");
        var epoch = bench.begin();
        bench.settler.step(epoch);
        bench.settler.step(epoch);
        List<String> rows = bench.tasks.query("select name, state, slots, reason from twinbell.execution");
        assertEquals(1, rows.size());
        assertTrue(rows.get(0).startsWith("t|MISSED|") && rows.get(0).endsWith(TaskChanges.REMOVED), rows.get(0));
        assertTrue(bench.tasks.number("select slots from twinbell.execution") >= 6);
        assertEquals(0, unread());
    }

    @Test
    void a_task_that_was_added_became_due_and_was_removed_before_anybody_looked_is_in_the_ledger_too() {
        long task = add("order-1", "{\"in\":\"PT1S\"}", "{}");
        bench.tasks.execute("update twinbell.arrival set at = at - interval '1 minute';"
                + " update twinbell.full_task set definition = definition || jsonb_build_object('start',"
                + " to_char((now() - interval '1 minute') at time zone 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS.MS\"Z\"'))");
        bench.tasks.query("select twinbell.remove_task(" + task + ")");
        var epoch = bench.begin();
        bench.settler.step(epoch);
        bench.settler.step(epoch);
        bench.tasks.assertRows("select name, state, slots from twinbell.execution", "order-1|MISSED|1");
    }

    @Test
    void every_member_of_a_task_is_an_option_and_nothing_else() {
        List<String> others = List.of("app", "name", "schedule", "handler");
        TaskMembers.ALL.stream()
                .map(member -> member.name())
                .filter(name -> !others.contains(name))
                .forEach(name -> add("with-" + name, "{\"in\":\"PT1H\"}", "{\"" + name + "\":null}"));
        assertThrows(RuntimeException.class, () -> add("other", "{\"in\":\"PT1H\"}", "{\"overlp\":\"SKIP\"}"));
    }

    @Test
    void a_single_instant_that_has_run_does_not_run_again_when_its_task_is_removed_and_added_anew() {
        String once = "{\"at\":\"" + Instant.ofEpochMilli(bench.nowMillis) + "\"}";
        for (int times = 0; times < 2; times++) {
            long task = add("once", once, "{}");
            bench.settler.step(bench.begin());
            bench.requests.add(task);
            bench.fireAll();
            assertEquals(1, bench.tasks.number("select count(*) from twinbell.execution"));
            assertEquals("FINISHED|", state(task));
            bench.tasks.query("select twinbell.remove_task(" + task + ")");
        }
    }
}
