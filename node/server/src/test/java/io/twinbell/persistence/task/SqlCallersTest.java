package io.twinbell.persistence.task;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.twinbell.node.cluster.store.HandlerKeys;
import io.twinbell.persistence.testing.TestPostgres;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLWarning;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.postgresql.ds.PGSimpleDataSource;
import org.postgresql.util.PSQLException;

/** The rights of callers of the SQL functions, and which names count as free. */
class SqlCallersTest {
    private static final PGSimpleDataSource DATABASE = TestPostgres.freshDatabase();
    private static final String LOG = "{\"type\":\"log\"}";
    private static final String IN = "{\"in\":\"PT2H\"}";

    private Connection application;

    @BeforeEach
    void connect() throws SQLException {
        TestPostgres.clear(DATABASE);
        TestPostgres.execute(
                DATABASE,
                "do $$ begin create role shop_caller; exception when duplicate_object or unique_violation then null; end $$;"
                        + " grant usage on schema twinbell to shop_caller; grant execute on function twinbell.add_task,"
                        + " twinbell.add_tasks, twinbell.schedule, twinbell.remove_task(bigint),"
                        + " twinbell.remove_task(text, text), twinbell.cancel_task to shop_caller");
        application = DATABASE.getConnection();
    }

    @AfterEach
    void close() throws SQLException {
        application.close();
    }

    private String query(String sql, String... parameters) throws SQLException {
        try (PreparedStatement statement = application.prepareStatement(sql)) {
            for (int i = 0; i < parameters.length; i++) {
                statement.setString(i + 1, parameters[i]);
            }
            try (ResultSet row = statement.executeQuery()) {
                row.next();
                return row.getString(1);
            }
        }
    }

    private long add(String name, String schedule, String handler, String options) throws SQLException {
        return Long.parseLong(query(
                "select twinbell.add_task('shop', ?, ?::jsonb, ?::jsonb, ?::jsonb)", name, schedule, handler, options));
    }

    private void assertRefused(String state, String part, String schedule, String handler, String options) {
        PSQLException refusal = assertThrows(PSQLException.class, () -> add("bad", schedule, handler, options));
        assertEquals(state, refusal.getSQLState(), refusal.getMessage());
        assertTrue(refusal.getMessage().contains(part), refusal.getMessage());
    }

    private void finish(String name) {
        TestPostgres.execute(
                DATABASE,
                "delete from twinbell.arrival; update twinbell.task_state set state = 'FINISHED', previous_fire_time ="
                        + " date_trunc('milliseconds', now()) where task_id = (select id from twinbell.task where name = '"
                        + name + "')");
    }

    @ParameterizedTest
    @ValueSource(strings = {"{}", "{\"ifExists\":\"KEEP\"}", "{\"ifExists\":\"REPLACE\"}"})
    void a_finished_name_is_free_and_one_that_will_fire_is_not(String options) throws SQLException {
        long first = add("order", IN, LOG, "{}");
        finish("order");
        long second = add("order", IN, LOG, options);
        assertNotEquals(first, second);
        assertRefused("23505", "already", IN, LOG, "{}", "order");
        assertEquals(second, add("order", IN, LOG, "{\"ifExists\":\"KEEP\"}"));
        assertEquals(second, add("order", IN, LOG, "{\"ifExists\":\"REPLACE\"}"));
    }

    private void assertRefused(
            String state, String part, String schedule, String handler, String options, String name) {
        PSQLException refusal = assertThrows(PSQLException.class, () -> add(name, schedule, handler, options));
        assertEquals(state, refusal.getSQLState(), refusal.getMessage());
        assertTrue(refusal.getMessage().contains(part), refusal.getMessage());
    }

    @Test
    void the_same_instant_once_more_leaves_the_finished_task() throws SQLException {
        String at = "{\"at\":\"2026-01-01T00:00:00Z\"}";
        long first = add("once", at, LOG, "{}");
        finish("once");
        assertEquals(first, add("once", at, LOG, "{\"ifExists\":\"REPLACE\"}"));
    }

    @Test
    void a_task_is_removed_by_its_key() throws SQLException {
        add("order", IN, LOG, "{}");
        assertEquals("t", query("select twinbell.remove_task('shop', 'order')"));
        assertEquals("f", query("select twinbell.remove_task('shop', 'order')"));
    }

    @Test
    void a_cancellation_says_whether_it_came_in_time() throws SQLException {
        add("order", IN, LOG, "{}");
        assertEquals("t", query("select twinbell.cancel_task('shop', 'order')"));
        assertEquals("f", query("select twinbell.cancel_task('shop', 'order')"), "there is none");
        add("order", IN, LOG, "{}");
        finish("order");
        assertEquals("f", query("select twinbell.cancel_task('shop', 'order')"), "it has fired");
        assertEquals("1", query("select count(*) from twinbell.task"), "its retries need it");
    }

    @Test
    void a_finished_task_that_was_replaced_fires_again_so_its_cancellation_comes_in_time() throws SQLException {
        add("order", IN, LOG, "{}");
        finish("order");
        add("order", IN, LOG, "{\"ifExists\":\"REPLACE\"}");
        assertEquals("t", query("select twinbell.cancel_task('shop', 'order')"));
    }

    /** Values that no entry of an index can hold, or that no JSON reader accepts. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '\u0001', textBlock = """
            handler.profile must have 1 to 200 characters | {"in": "PT2H"} | {"type": "http", "profile": "LONG"} | {}
            more than 500 levels | {"in": "PT2H"} | {"type": "log"} | {"data": DEEP}
            more than 500 levels | {"in": DEEP} | {"type": "log"} | {}
            more than 1000 digits | {"in": "PT2H"} | {"type": "log"} | {"data": {"n": [1e1000]}}
            more than 1000 digits | {"in": "PT2H"} | {"type": "log"} | {"priority": 1e5000}
            """)
    void what_cannot_be_indexed_or_read_back_is_refused(String problem, String schedule, String handler, String options)
            throws SQLException {
        String[] task = {schedule, handler, options};
        for (int i = 0; i < task.length; i++) {
            task[i] = task[i].replace("LONG", "x".repeat(3000)).replace("DEEP", "[".repeat(510) + "]".repeat(510));
        }
        assertRefused("22023", problem, task[0], task[1], task[2]);
        String item = "{\"app\": \"shop\", \"name\": \"%s\", \"schedule\": %s, \"handler\": %s}";
        String list = "[" + String.format(item, "good", IN, LOG) + ","
                + String.format(item, "bad", task[0], task[1]).replaceFirst("}$", "")
                + (options.equals("{}") ? "}" : "," + task[2].substring(1)) + "]";
        PSQLException refusal =
                assertThrows(PSQLException.class, () -> query("select twinbell.add_tasks(?::jsonb)", list));
        assertTrue(refusal.getMessage().contains("/1: "), refusal.getMessage());
        assertEquals("22023", refusal.getSQLState());
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', nullValues = "null", textBlock = """
            22023 | name must have           | shop  | k    | ''   | 2190-01-01T00:00:00Z | null
            22023 | name must not contain    | shop  | k    | a\tb | 2190-01-01T00:00:00Z | null
            22023 | handler.key must be      | shop  | null | a    | 2190-01-01T00:00:00Z | null
            22023 | schedule.at              | shop  | k    | a    | null                 | null
            22023 | schedule.at              | shop  | k    | a    | infinity             | null
            22023 | schedule.at              | shop  | k    | a    | 2200-01-01T00:00:00Z | null
            22023 | more than 65536 bytes    | shop  | k    | a    | 2190-01-01T00:00:00Z | LONG
            42501 | in the app "other"       | other | k    | a    | 2190-01-01T00:00:00Z | null
            """)
    void the_short_way_refuses_what_the_long_one_does(
            String state, String problem, String app, String key, String name, String at, String data)
            throws SQLException {
        TestPostgres.execute(DATABASE, "select twinbell.allow_caller('shop_caller', apps => '{shop}')");
        application.createStatement().execute("set role shop_caller");
        String given = "LONG".equals(data) ? "\"" + "x".repeat(70_000) + "\"" : data;
        PSQLException refusal = assertThrows(
                PSQLException.class,
                () -> query("select twinbell.schedule(?, ?, ?, ?::timestamptz, ?::jsonb)", app, key, name, at, given));
        assertTrue(refusal.getMessage().contains(problem), refusal.getMessage());
        assertEquals(state, refusal.getSQLState());
        query("select twinbell.schedule('shop', 'k', 'good', '2190-01-01T00:00:00Z')");
        application.createStatement().execute("reset role");
        TestPostgres.execute(DATABASE, "select twinbell.allow_caller('shop_caller', handlers => '{http}')");
        application.createStatement().execute("set role shop_caller");
        assertThrows(
                PSQLException.class, () -> query("select twinbell.schedule('shop', 'k', 'b', '2190-01-01T00:00:00Z')"));
    }

    @Test
    void a_caller_has_no_sql_no_shell_and_no_secrets_until_the_owner_allows_them() throws SQLException {
        application.createStatement().execute("set role shop_caller");
        String sql = "{\"type\":\"sql\",\"statement\":\"select 1\"}";
        String shell = "{\"type\":\"shell\",\"command\":[\"/bin/date\"]}";
        String secret = "{\"type\":\"http\",\"url\":\"http://x/\",\"headers\":{\"A\":\"${secret.B}\"}}";
        for (String handler :
                new String[] {sql, shell, secret, "{\"type\":\"http\",\"url\":\"http://x/\",\"secret\":{\"ref\":\"B\"}}"
                }) {
            assertRefused("42501", "may not manage tasks", IN, handler, "{}");
        }
        assertTrue(add("usual", IN, "{\"type\":\"http\",\"url\":\"http://x/\"}", "{}") > 0);
        TestPostgres.execute(
                DATABASE, "select twinbell.allow_caller('shop_caller', handlers => '{sql,http}', secrets => true)");
        assertTrue(add("sql", IN, sql, "{}") > 0);
        assertTrue(add("secret", IN, secret, "{}") > 0);
        assertRefused("42501", "handler type log", IN, LOG, "{}");
    }

    @Test
    void a_caller_needs_the_right_to_use_secrets_for_an_http_profile() throws SQLException {
        String call = "{\"type\":\"http\",\"url\":\"http://x/\",\"profile\":\"partner\"}";
        assertTrue(add("by-profile", IN, call, "{}") > 0);
        application.createStatement().execute("set role shop_caller");
        assertRefused("42501", "may not manage tasks that use http profiles", IN, call, "{}");
        TestPostgres.execute(DATABASE, "select twinbell.allow_caller('shop_caller', secrets => true)");
        assertTrue(add("by-role", IN, call, "{}") > 0);
    }

    @Test
    void a_name_that_no_node_has_is_a_warning() throws SQLException {
        new HandlerKeys(DATABASE).publish("a", List.of("close"), List.of("partner"));
        try {
            assertEquals(
                    List.of(
                            "no node has a java handler with the key \"clsoe\"",
                            "no node has the http profile \"partnr\""),
                    warnings(
                            "{\"type\":\"java\",\"key\":\"close\"}",
                            "{\"type\":\"java\",\"key\":\"clsoe\"}",
                            "{\"type\":\"http\",\"url\":\"http://x/\",\"profile\":\"partner\"}",
                            "{\"type\":\"http\",\"url\":\"http://x/\",\"profile\":\"partnr\"}",
                            "{\"type\":\"http\",\"url\":\"http://x/\"}"));
        } finally {
            TestPostgres.execute(DATABASE, "delete from twinbell.node_handlers");
        }
    }

    private List<String> warnings(String... handlers) throws SQLException {
        List<String> warnings = new ArrayList<>();
        for (String handler : handlers) {
            try (Statement statement = application.createStatement()) {
                statement.execute("select twinbell.add_task('shop', 'w" + warnings.size() + "-" + handler.hashCode()
                        + "', '" + IN + "', '" + handler + "')");
                for (SQLWarning warning = statement.getWarnings();
                        warning != null;
                        warning = warning.getNextWarning()) {
                    warnings.add(warning.getMessage());
                }
            }
        }
        return warnings;
    }

    private static final String EDITOR =
            "set twinbell.actor = '{\"actor\":\"token ed\",\"channel\":\"HTTP\",\"lacking\":[\"sql\",\"shell\",\"secrets\"]}'";

    private static String then(String follower) {
        return "{\"then\":[{\"app\":\"shop\",\"name\":\"" + follower + "\"}]}";
    }

    /** Ends an execution of the task with success; returns the newest execution of the other. */
    private String after(long task, String follower) throws SQLException {
        application.createStatement().execute("reset role; reset twinbell.actor");
        application
                .createStatement()
                .execute("insert into twinbell.execution (task_id, fire_time, app, name, state)"
                        + " select id, '2026-11-01T00:00:00Z', app, name, 'CLAIMED' from twinbell.task where id = "
                        + task
                        + " on conflict do nothing; update twinbell.execution set state = 'SUCCEEDED', ended_at = now()"
                        + " where task_id = " + task);
        return query("select concat_ws(' ', state, reason) from twinbell.execution where name = '" + follower
                + "' order by fire_time desc limit 1");
    }

    @Test
    void a_follower_does_not_run_with_rights_that_whoever_stored_the_chain_lacks() throws SQLException {
        String shell = "{\"type\":\"shell\",\"command\":[\"true\"]}";
        String lacks =
                "SKIPPED then of shop/%s, not run: the last author of shop/%s has no grant \"shell\"; store that task"
                        + " again with the grant";
        application.createStatement().execute(EDITOR);
        long direct = add("direct", IN, LOG, then("end"));
        long indirect = add("indirect", IN, LOG, then("middle"));
        application.createStatement().execute("reset twinbell.actor");
        long middle = add("middle", IN, LOG, then("end"));
        add("end", IN, shell, "{}");

        assertEquals(lacks.formatted("direct", "direct"), after(direct, "end"));
        assertEquals("PENDING then of shop/indirect", after(indirect, "middle"));
        assertEquals(lacks.formatted("middle", "indirect"), after(middle, "end"));

        application.createStatement().execute(EDITOR);
        assertRefused("42501", "token ed may not lead a chain to the task shop/end", IN, LOG, then("end"));
        assertRefused("42501", "token ed may not lead a chain to the task shop/end", IN, LOG, then("middle"));
        application.createStatement().execute("reset twinbell.actor");
        long granted = add("granted", IN, LOG, then("end"));
        assertEquals("PENDING then of shop/granted", after(granted, "end"));
    }

    @Test
    void a_restricted_role_leads_no_chain_to_a_handler_that_it_may_not_use() throws SQLException {
        String call = "{\"type\":\"http\",\"url\":\"http://x/\"}";
        TestPostgres.execute(DATABASE, "select twinbell.allow_caller('shop_caller', handlers => '{log}')");
        application.createStatement().execute("set role shop_caller");
        long early = add("early", IN, LOG, then("end"));
        application.createStatement().execute("reset role");
        add("end", IN, call, "{}");
        application.createStatement().execute("set role shop_caller");
        String part =
                "the role \"shop_caller\" may not lead a chain to the task shop/end: it needs the right to the handler type"
                        + " \"http\"";
        assertRefused("42501", part, IN, LOG, then("end"));
        assertRefused("42501", part, IN, LOG, "{\"then\":[\"end\"]}");
        assertRefused(
                "42501",
                part,
                IN,
                LOG,
                "{\"ifExists\":\"REPLACE\"," + then("end").substring(1));
        String item = "{\"app\":\"shop\",\"name\":\"%s\",\"schedule\":" + IN + ",\"handler\":" + LOG + "%s}";
        String list = String.format("[" + item + "," + item + "]", "other", "", "leads", ",\"then\":[\"end\"]");
        PSQLException refusal =
                assertThrows(PSQLException.class, () -> query("select twinbell.add_tasks(?::jsonb)", list));
        assertTrue(refusal.getMessage().contains("/1: " + part), refusal.getMessage());

        assertEquals(
                "SKIPPED then of shop/early, not run: the last author of shop/early has no right to the handler type"
                        + " \"http\"; store that task again with the right",
                after(early, "end"));
    }

    @Test
    void a_follower_that_was_refused_runs_again_only_with_the_right_that_was_lacking() throws SQLException {
        String shell = "{\"type\":\"shell\",\"command\":[\"true\"]}";
        application.createStatement().execute(EDITOR);
        long start = add("start", IN, LOG, then("end"));
        application.createStatement().execute("reset twinbell.actor");
        long end = add("end", IN, shell, "{}");
        for (String state : List.of("ACTIVE", "PAUSED")) {
            application
                    .createStatement()
                    .execute("update twinbell.task_state set state = '" + state + "' where task_id = " + end
                            + "; delete from twinbell.execution");
            assertTrue(after(start, "end").startsWith("SKIPPED"), state);

            application.createStatement().execute(EDITOR);
            PSQLException refused = assertThrows(PSQLException.class, this::rerunEnd);
            assertTrue(
                    refused.getMessage().contains("token ed may not run shop/end again: it needs the grant \"shell\""),
                    refused.getMessage());
            application
                    .createStatement()
                    .execute("set twinbell.actor = '{\"actor\":\"token ad\",\"channel\":\"HTTP\",\"lacking\":[]}'");
            assertEquals("PENDING", rerunEnd());
            application.createStatement().execute("reset twinbell.actor");
        }
    }

    private String rerunEnd() throws SQLException {
        query("select twinbell.rerun_slots(array_agg(task_id), array_agg(fire_time), 'again') from twinbell.execution"
                + " where name = 'end'");
        return query("select state from twinbell.execution where name = 'end'");
    }

    @Test
    void the_data_of_a_run_by_hand_reaches_no_follower_that_came_to_need_more_meanwhile() throws SQLException {
        String shell = "{\"type\":\"shell\",\"command\":[\"true\"]}";
        long start = add("start", IN, LOG, then("end"));
        application.createStatement().execute(EDITOR);
        application
                .createStatement()
                .execute("insert into twinbell.execution (task_id, fire_time, app, name, state, origin, data)"
                        + " values (" + start
                        + ", '2026-11-01T00:00:00Z', 'shop', 'start', 'PENDING', 'TRIGGERED', '5')");
        application.createStatement().execute("reset twinbell.actor");
        add("end", IN, shell, "{}");
        assertEquals(
                "SKIPPED then of shop/start, not run: the caller who triggered shop/start with other data has no grant \"shell\";"
                        + " trigger that task again with the grant",
                after(start, "end"));
        assertEquals(
                "5 {depth,error,fireTime,output,root,state,task}",
                query(
                        "select concat_ws(' ', twinbell.run_definition('{}', s.parent, s.data) -> 'data', array(select"
                                + " jsonb_object_keys(twinbell.run_definition('{}', e.parent, e.data) #> '{data,parent}') order by 1))"
                                + " from twinbell.execution s, twinbell.execution e where s.name = 'start' and e.name = 'end'"));
    }

    @Test
    void whoever_may_use_everything_lifts_the_limit_of_a_chain_by_storing_the_task() throws SQLException {
        application.createStatement().execute(EDITOR);
        long start = add("start", IN, LOG, then("end"));
        application.createStatement().execute("reset twinbell.actor");
        add("end", IN, "{\"type\":\"shell\",\"command\":[\"true\"]}", "{}");
        assertTrue(after(start, "end").startsWith("SKIPPED"));
        String store = "update twinbell.full_task set definition = definition where id = " + start;
        // As the master writes definitions anew, for example with other defaults: it is not their author.
        application.createStatement().execute("begin; set local twinbell.quotas = 'exempt'; " + store + "; commit");
        application.createStatement().execute("delete from twinbell.execution");
        assertTrue(after(start, "end").startsWith("SKIPPED"));
        application.createStatement().execute(store);
        application.createStatement().execute("delete from twinbell.execution");
        assertEquals("PENDING then of shop/start", after(start, "end"));
    }

    @Test
    void a_caller_stays_in_its_apps() throws SQLException {
        long others =
                Long.parseLong(query("select twinbell.add_task('bank', 'transfer', ?::jsonb, ?::jsonb)", IN, LOG));
        TestPostgres.execute(DATABASE, "select twinbell.allow_caller('shop_caller', apps => '{shop}')");
        application.createStatement().execute("set role shop_caller");
        assertTrue(add("mine", IN, LOG, "{}") > 0);
        assertRefused("42501", "app \"bank\"", IN, LOG, "{\"then\":[{\"app\":\"bank\",\"name\":\"transfer\"}]}");
        String[] tries = {
            "select twinbell.remove_task(" + others + ")",
            "select twinbell.remove_task('bank', 'transfer')",
            "select twinbell.add_task('bank', 'transfer', '{\"in\":\"PT1S\"}', '{\"type\":\"log\"}', '{\"ifExists\":\"REPLACE\"}')",
            "select twinbell.add_tasks('[{\"app\":\"bank\",\"name\":\"n\",\"schedule\":{\"in\":\"PT1S\"},\"handler\":{\"type\":\"log\"}}]')",
            "select twinbell.allow_caller('shop_caller')",
        };
        for (String sql : tries) {
            assertEquals(
                    "42501", assertThrows(PSQLException.class, () -> query(sql)).getSQLState(), sql);
        }
    }
}
