package io.twinbell.node.pair;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.twinbell.ha.role.Role;
import io.twinbell.node.config.ConfigReader;
import io.twinbell.persistence.testing.SqlTaskRole;
import io.twinbell.persistence.testing.TestPostgres;
import io.twinbell.persistence.testing.TestTasks;
import io.twinbell.persistence.testing.TestZooKeeper;
import io.twinbell.tools.client.NodeClient;
import io.twinbell.tools.verify.VerificationResult;
import io.twinbell.tools.verify.Verifier;
import java.net.URI;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import javax.management.MBeanServerFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.postgresql.ds.PGSimpleDataSource;

/** A node works although its role and database have every dangerous setting at once. */
@Timeout(180)
class HostileSettingsTest {
    /** What the server does not know is left out. */
    private static final Map<String, String> OF_ROLE = Map.ofEntries(
            Map.entry("statement_timeout", "'40ms'"),
            Map.entry("lock_timeout", "'1ms'"),
            Map.entry("idle_in_transaction_session_timeout", "'20ms'"),
            Map.entry("idle_session_timeout", "'100ms'"),
            Map.entry("transaction_timeout", "'50ms'"),
            Map.entry("default_transaction_isolation", "serializable"),
            Map.entry("default_transaction_deferrable", "on"),
            Map.entry("search_path", "evil, pg_catalog, public"),
            Map.entry("synchronous_commit", "off"),
            Map.entry("client_min_messages", "debug1"),
            Map.entry("standard_conforming_strings", "off"),
            Map.entry("backslash_quote", "off"),
            Map.entry("array_nulls", "off"),
            Map.entry("transform_null_equals", "on"),
            Map.entry("quote_all_identifiers", "on"),
            Map.entry("gin_fuzzy_search_limit", "1"),
            Map.entry("restrict_nonsystem_relation_kind", "view"),
            Map.entry("plpgsql.extra_errors", "'all'"));

    private static final Map<String, String> OF_DATABASE = Map.ofEntries(
            Map.entry("DateStyle", "'SQL, DMY'"),
            Map.entry("IntervalStyle", "sql_standard"),
            Map.entry("TimeZone", "'Asia/Kathmandu'"),
            Map.entry("bytea_output", "escape"),
            Map.entry("extra_float_digits", "-15"),
            Map.entry("client_encoding", "LATIN1"),
            Map.entry("row_security", "off"),
            Map.entry("check_function_bodies", "off"),
            Map.entry("xmloption", "document"),
            Map.entry("default_text_search_config", "simple"),
            Map.entry("plan_cache_mode", "force_custom_plan"),
            Map.entry("enable_indexscan", "off"),
            Map.entry("enable_bitmapscan", "off"),
            Map.entry("enable_nestloop", "off"),
            Map.entry("enable_partition_pruning", "off"),
            Map.entry("join_collapse_limit", "1"),
            Map.entry("from_collapse_limit", "1"),
            Map.entry("geqo_threshold", "2"),
            Map.entry("jit_above_cost", "0"),
            Map.entry("work_mem", "'64kB'"),
            Map.entry("debug_parallel_query", "on"),
            Map.entry("force_parallel_mode", "on"),
            Map.entry("exit_on_error", "on"),
            Map.entry("default_tablespace", "''"),
            Map.entry("temp_tablespaces", "''"));

    private static final String FAILED = """
            select name || ' ' || state || ': ' || coalesce(error, '') from twinbell.execution
            where state not in ('SUCCEEDED', 'CLAIMED', 'RUNNING')""";

    private static final Verifier.ProgressListener UNWATCHED = new Verifier.ProgressListener() {
        @Override
        public void at(long tasksDone, String task, double part) {
            assertTrue(part >= 0 && part <= 1, task + " " + part);
        }

        @Override
        public void sleep(Duration time) {
            assertTrue(time.toMillis() >= 0);
        }
    };

    private final String role = "hostile_" + UUID.randomUUID().toString().substring(0, 8);
    private final PGSimpleDataSource admin = TestPostgres.emptyDatabase();
    private final String zooKeeper = TestZooKeeper.freshFolder();
    private final TestTasks tables = new TestTasks(admin);

    @Test
    void all_dangerous_settings_at_once_keep_no_node_from_its_work() throws Exception {
        tables.execute(SqlTaskRole.CREATE);
        tables.execute("create role " + role + " login password '" + role + "'");
        tables.execute("grant " + SqlTaskRole.NAME + " to " + role + "; create schema twinbell authorization " + role);
        tables.execute("create table public.seen (isolation text); grant insert on public.seen to " + SqlTaskRole.NAME);
        tables.execute("create schema evil; grant usage on schema evil to public;"
                + " create function evil.clock_timestamp() returns timestamptz language sql as 'select timestamptz ''1999-01-01Z''';"
                + " create function evil.now() returns timestamptz language sql as 'select timestamptz ''1999-01-01Z''';"
                + " create function evil.set_config(text, text, boolean) returns text language sql as 'select ''x''';"
                + " create function evil.coalesce_to(bigint) returns bigint language sql as 'select 1::bigint'");
        for (String of : List.of(role, SqlTaskRole.NAME)) {
            set("role " + of + " in database " + admin.getDatabaseName(), OF_ROLE);
        }
        set("database " + admin.getDatabaseName(), OF_DATABASE);
        try (SchedulerNode node = new SchedulerNode(
                ConfigReader.read(null, Map.of(), config()), Map.of(), MBeanServerFactory.newMBeanServer())) {
            node.start();
            await().atMost(Duration.ofSeconds(60)).until(() -> node.role() == Role.MASTER);
            works(node);
        }
    }

    @Test
    void a_library_that_no_session_can_load_ends_the_node_with_the_reason() throws Exception {
        tables.execute("create role " + role + " login password '" + role + "'");
        tables.execute("alter role " + role + " set session_preload_libraries = 'no_such_library'");
        try (SchedulerNode node = new SchedulerNode(
                ConfigReader.read(null, Map.of(), config()), Map.of(), MBeanServerFactory.newMBeanServer())) {
            node.start();
            ExecutionException refused =
                    assertThrows(ExecutionException.class, () -> node.ended().get(60, TimeUnit.SECONDS));
            assertTrue(refused.getMessage().contains("no_such_library"), refused.getMessage());
            assertTrue(refused.getMessage().contains("session_preload_libraries"), refused.getMessage());
        }
    }

    private void works(SchedulerNode node) throws Exception {
        List<Long> bySql = addBySql();
        NodeClient api = new NodeClient(URI.create(node.url()), Duration.ofSeconds(20));
        api.postText("/api/v1/tasks", """
                {"app": "h", "name": "grid", "schedule": {"every": "PT0.2S"}, "tags": ["a", "b"],
                 "handler": {"type": "java", "key": "twinbell.noop"}}""");
        api.postText("/api/v1/tasks", """
                {"app": "h", "name": "statement", "schedule": {"in": "PT0.1S"},
                 "handler": {"type": "sql", "statement": "insert into seen select current_setting('transaction_isolation')"}}""");
        // A failed execution is named at once: it would never become the awaited success.
        await().atMost(Duration.ofSeconds(60)).until(() -> {
            assertEquals(List.of(), tables.query(FAILED));
            return succeeded("grid") > 10 && succeeded("statement") == 1;
        });
        await().atMost(Duration.ofSeconds(30)).until(() -> succeeded("sql%") == bySql.size());
        assertEquals(
                "true",
                bySql("select twinbell.rerun_executions('h', '{\"state\":[\"SUCCEEDED\"],\"name\":\"sql0\"}') = 1"));
        assertEquals("true", bySql("select twinbell.remove_task('h', 'sql1')"));
        await().atMost(Duration.ofSeconds(30)).until(() -> succeeded("sql%") == bySql.size());
        tables.assertRows("select isolation from public.seen", "read committed");
        assertEquals(1, api.get("/api/v1/tasks?tag=a").path("items").size());
        assertTrue(api.get("/api/v1/executions?app=h&limit=5").path("items").size() == 5);
        assertEquals(List.of(), tables.query(FAILED));
        VerificationResult verdict = new Verifier(
                        api, new Verifier.Scope("h", Duration.ofMinutes(5), Duration.ofSeconds(30), 50), UNWATCHED)
                .verify();
        assertEquals(List.of(), verdict.violations());
    }

    /** As an application calls it, in a session with all of these settings. */
    private List<Long> addBySql() throws SQLException {
        List<Long> ids = new ArrayList<>();
        try (Connection c = login();
                var statement = c.createStatement()) {
            String soon = tables.row(
                    "select to_char((pg_catalog.clock_timestamp() at time zone 'UTC') + interval '5 h 45 min 1 s',"
                            + " 'YYYY-MM-DD\"T\"HH24:MI:SS.MS\"+05:45\"')");
            int number = 0;
            for (String schedule : List.of(
                    "{\"in\":\"PT0.1S\"}", "{\"in\":\"300ms\"}", "{\"at\":\"" + soon + "\"}", "{\"in\":\"P0DT1S\"}")) {
                try (var row = statement.executeQuery("select twinbell.add_task('h', 'sql" + number++ + "', '"
                        + schedule + "', '{\"type\":\"java\",\"key\":\"twinbell.noop\"}', '{\"tags\":[\"ä\"]}')")) {
                    row.next();
                    ids.add(row.getLong(1));
                }
            }
        }
        return ids;
    }

    private String bySql(String query) throws SQLException {
        try (Connection c = login();
                var statement = c.createStatement();
                var row = statement.executeQuery(query)) {
            row.next();
            return Boolean.toString(row.getBoolean(1));
        }
    }

    private long succeeded(String name) {
        return tables.number("select count(*) from twinbell.execution where state = 'SUCCEEDED' and name like ?", name);
    }

    /** The session begins without timeouts: on a busy machine, the shortest ones end it before its first statement. */
    private Connection login() throws SQLException {
        List<String> timeouts = tables.query("select '-c ' || name || '=0' from pg_settings where name ~ '_timeout$'"
                + " and context = 'user' and name not like 'tcp%'");
        PGSimpleDataSource patient = new PGSimpleDataSource();
        patient.setURL(admin.getURL());
        patient.setOptions(String.join(" ", timeouts));
        return patient.getConnection(role, role);
    }

    private void set(String whom, Map<String, String> settings) {
        settings.forEach((name, value) -> {
            if (name.startsWith("plpgsql.")
                    || tables.number("select count(*) from pg_settings where lower(name) = lower(?)", name) == 1) {
                tables.execute("alter " + whom + " set " + name + " = " + value);
            }
        });
    }

    private List<String> config() {
        return List.of(
                "node.id=a",
                "http.port=0",
                "http.access=OPEN",
                "jmx.port=0",
                "database.url=jdbc:postgresql://" + admin.getServerNames()[0] + ":" + admin.getPortNumbers()[0] + "/"
                        + admin.getDatabaseName() + "?readOnly=true&socketTimeout=1&options=-c%20lock_timeout=1",
                "database.user=" + role,
                "database.password=" + role,
                "handlers.sql.enabled=true",
                "handlers.sql.user=" + SqlTaskRole.NAME,
                "handlers.sql.password=" + SqlTaskRole.NAME,
                "zookeeper.connect=" + zooKeeper);
    }
}
