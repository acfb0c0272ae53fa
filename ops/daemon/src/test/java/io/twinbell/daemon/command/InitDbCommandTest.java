package io.twinbell.daemon.command;

import static io.twinbell.tools.cli.TypedCommand.assertExit;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.twinbell.persistence.testing.TestPostgres;
import io.twinbell.persistence.testing.TestTasks;
import io.twinbell.tools.cli.TypedCommand;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.opentest4j.TestAbortedException;
import org.postgresql.ds.PGSimpleDataSource;

class InitDbCommandTest {
    private final PGSimpleDataSource admin = TestPostgres.emptyDatabase();
    private final String name = "made_by_" + UUID.randomUUID().toString().substring(0, 8);

    @TempDir
    Path folder;

    @Test
    void role_database_and_schema_are_made_once_and_the_node_can_use_them() throws Exception {
        TypedCommand first = initDb();
        assertExit(0, first);
        assertTrue(
                first.out()
                        .matches("created role " + name + "\\Rcreated database " + name
                                + "\\Rcreated schema twinbell\\Rclosed database .*\\Rschema version \\d+\\R"),
                first.out());
        TypedCommand second = initDb();
        assertExit(0, second);
        assertTrue(second.out().matches("schema version \\d+\\R"), second.out());
        try (Connection c = DriverManager.getConnection(url(), name, "secret");
                var statement = c.createStatement();
                var row = statement.executeQuery("select tableowner from pg_tables where tablename = 'task'")) {
            assertTrue(row.next());
            assertEquals(name, row.getString(1));
        }
    }

    @Test
    void a_schema_of_another_name_is_made_moved_to_its_owner_and_given_to_the_node() throws Exception {
        assertExit(0, initDb());
        List<String> other = asAdmin();
        other.addAll(List.of("--set", "database.schema=order"));
        TypedCommand first = TypedCommand.twinbell(other.toArray(String[]::new));
        assertTrue(first.out().startsWith("created schema order" + System.lineSeparator()), first.out() + first.err());
        other.addAll(List.of("--set", "database.owner.user=" + name + "_owner"));
        TypedCommand moved = TypedCommand.twinbell(other.toArray(String[]::new));
        assertEquals(
                1,
                new TestTasks(admin)
                        .number("select count(*) where has_database_privilege('" + name + "_owner', '" + name
                                + "', 'CONNECT')"),
                "the database was closed before this role existed");
        assertTrue(moved.out().contains("moved schema order from role " + name), moved.out() + moved.err());
        try (Connection c = DriverManager.getConnection(url(), name, "secret");
                var statement = c.createStatement();
                var row = statement.executeQuery("""
                        select string_agg(schemaname || ' ' || tableowner || ' '
                          || has_table_privilege(format('%I.task', schemaname), 'INSERT'), ', ' order by schemaname)
                        from pg_tables where tablename = 'task' and "order".now_millis() > 0""")) {
            assertTrue(row.next());
            assertEquals("order " + name + "_owner true, twinbell " + name + " true", row.getString(1));
        }
    }

    @Test
    void an_owner_migrates_and_the_node_only_uses_its_tables() throws Exception {
        List<String> arguments = asAdmin();
        arguments.addAll(List.of("--set", "database.owner.user=" + name + "_owner"));
        arguments.addAll(List.of("--set", "database.owner.password=hidden"));
        arguments.addAll(List.of("--set", "retention.audit=P40D"));
        TypedCommand first = TypedCommand.twinbell(arguments.toArray(String[]::new));
        assertExit(0, first);
        assertTrue(first.out().startsWith("created role " + name + "_owner" + System.lineSeparator()), first.out());
        assertTrue(
                first.out()
                        .contains("role " + name + " may read and write the tables of role " + name
                                + "_owner, create and drop nothing, and not change the audit, of which it keeps 40"
                                + " days"),
                first.out());
        TypedCommand second = TypedCommand.twinbell(arguments.toArray(String[]::new));
        assertTrue(second.out().matches("schema version \\d+\\R"), second.out() + second.err());
        TypedCommand asNode = TypedCommand.twinbell(arguments().toArray(String[]::new));
        assertTrue(asNode.out().matches("schema version \\d+\\R"), asNode.out() + asNode.err());
        try (Connection c = DriverManager.getConnection(url(), name, "secret");
                var statement = c.createStatement();
                var row = statement.executeQuery(
                        "select tableowner, has_database_privilege('public', current_database(), 'CONNECT, TEMP')"
                                + " from pg_tables where tablename = 'task'")) {
            assertTrue(row.next());
            assertEquals(name + "_owner", row.getString(1));
            assertFalse(row.getBoolean(2), "others may not connect");
        }
    }

    @Test
    void a_shared_database_is_closed_to_others_only_when_asked() throws Exception {
        TestPostgres.execute(admin, "create database " + name);
        List<String> arguments = asAdmin();
        TypedCommand shared = TypedCommand.twinbell(arguments.toArray(String[]::new));
        assertTrue(shared.out().contains("every role of the server may connect to database " + name), shared.out());
        arguments.add("--private");
        TypedCommand closed = TypedCommand.twinbell(arguments.toArray(String[]::new));
        assertTrue(closed.out().contains("closed database " + name + " to other roles"), closed.out());
        assertEquals(
                0,
                new TestTasks(admin)
                        .number("select count(*) where has_database_privilege('public', '" + name + "', 'CONNECT')"));
        assertTrue(TypedCommand.twinbell(arguments.toArray(String[]::new)).out().startsWith("schema version"));
    }

    @Test
    void a_database_of_another_encoding_is_refused_before_a_role_is_made() throws Exception {
        TestPostgres.execute(
                admin, "create database " + name + " encoding 'LATIN1' lc_collate 'C' lc_ctype 'C' template template0");
        TypedCommand typed = initDb();
        assertExit(1, typed);
        assertTrue(typed.err().contains("database " + name + " exists, but its encoding is not UTF8"), typed.err());
        assertEquals(0, new TestTasks(admin).number("select count(*) from pg_roles where rolname = ?", name));
    }

    @Test
    void a_role_that_does_not_exist_is_named_with_the_option_that_creates_it() {
        TypedCommand typed = TypedCommand.twinbell(arguments().toArray(String[]::new));
        assertExit(1, typed);
        assertTrue(typed.err().contains("connect: FATAL: "), typed.err());
        assertTrue(typed.err().contains(name), typed.err());
        assertTrue(typed.err().contains("'twinbell init-db --admin-user ROLE'"), typed.err());
        assertFalse(typed.err().contains("pooler"), typed.err());
    }

    @Test
    void a_password_in_the_url_is_not_shown() {
        for (String url :
                List.of("jdbc:postgresql://127.0.0.1:1/x?password=s3cr3t", "jdbc:postgresql://u:s3cr3t@:x/?a")) {
            List<String> arguments = arguments();
            arguments.addAll(List.of("--set", "database.url=" + url));
            TypedCommand typed = TypedCommand.twinbell(arguments.toArray(String[]::new));
            assertTrue(typed.exitCode() != 0 && !typed.err().isEmpty(), typed.out());
            assertFalse(typed.err().contains("s3cr3t"), typed.err());
        }
    }

    @Test
    void without_somebody_who_may_make_it_a_missing_database_is_an_error_that_says_so() {
        TypedCommand typed = TypedCommand.twinbell(arguments().toArray(String[]::new));
        assertExit(1, typed);
        assertTrue(typed.err().contains(name), typed.err());
    }

    @Test
    void the_script_for_a_dba_has_everything_but_the_password() {
        List<String> arguments = arguments();
        arguments.add("--print");
        TypedCommand typed = TypedCommand.twinbell(arguments.toArray(String[]::new));
        assertExit(0, typed);
        assertTrue(typed.out().contains("create role \"" + name + "\" login password ''SCRAM-SHA-256$"), typed.out());
        assertTrue(typed.out().contains("create database \"" + name + "\" owner \"" + name + "\""), typed.out());
        assertTrue(typed.out().contains("create schema if not exists \"twinbell\" authorization \"" + name + "\";"));
        assertFalse(typed.out().contains("secret"), typed.out());
    }

    @Test
    void psql_runs_the_printed_script_unattended_and_twice_and_the_node_logs_in() throws Exception {
        List<String> arguments = arguments();
        arguments.addAll(List.of("--print", "--set", "handlers.sql.enabled=true"));
        arguments.addAll(List.of("--set", "handlers.sql.user=" + name + "'s \"sql\" role"));
        arguments.addAll(List.of("--set", "handlers.sql.password=it's"));
        arguments.addAll(List.of("--set", "database.owner.user=" + name + " owner"));
        arguments.addAll(List.of("--set", "database.owner.password=his"));
        TypedCommand typed = TypedCommand.twinbell(arguments.toArray(String[]::new));
        assertExit(0, typed);
        runTwice(typed.out(), List.of());
        assertLogsIn(name, "secret");
        assertLogsIn(name + " owner", "his");
        assertEquals(
                0,
                new TestTasks(admin)
                        .number("select count(*) where has_database_privilege('public', '" + name + "', 'CONNECT')"));
        assertLogsIn(name + "'s \"sql\" role", "it's");
    }

    @Test
    void where_no_password_is_configured_the_script_takes_one_from_a_variable() throws Exception {
        List<String> arguments = arguments();
        int password = arguments.indexOf("database.password=secret");
        arguments.subList(password - 1, password + 1).clear();
        arguments.add("--print");
        TypedCommand typed = TypedCommand.twinbell(arguments.toArray(String[]::new));
        assertExit(0, typed);
        runTwice(typed.out(), List.of("-v", "node_password=it's given"));
        assertLogsIn(name, "it's given");
    }

    private void assertLogsIn(String role, String password) throws Exception {
        try (Connection c = DriverManager.getConnection(url(), role, password)) {
            assertTrue(c.isValid(1));
        }
        try (Connection c = admin.getConnection();
                var query = c.prepareStatement("select rolpassword like 'SCRAM%' from pg_authid where rolname = ?")) {
            query.setString(1, role);
            try (var row = query.executeQuery()) {
                assertTrue(row.next() && row.getBoolean(1), "the server trusts this machine, so look at what it keeps");
            }
        }
    }

    private void runTwice(String script, List<String> options) throws Exception {
        assertFalse(script.contains("\\password"), script);
        Path file = Files.writeString(folder.resolve("init.sql"), script);
        for (int i = 0; i < 2; i++) {
            List<String> command = new ArrayList<>(List.of("psql", "-X", "-h", admin.getServerNames()[0]));
            command.addAll(List.of("-p", "" + admin.getPortNumbers()[0], "-U", admin.getUser(), "-f", file.toString()));
            command.addAll(options);
            command.add("postgres");
            Process psql;
            try {
                ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
                if (admin.getPassword() != null) {
                    builder.environment().put("PGPASSWORD", admin.getPassword());
                }
                psql = builder.start();
            } catch (IOException e) {
                throw new TestAbortedException("psql is not installed: " + e.getMessage());
            }
            psql.getOutputStream().close();
            String said = new String(psql.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            assertEquals(0, psql.onExit().join().exitValue(), said);
        }
    }

    private TypedCommand initDb() throws Exception {
        return TypedCommand.twinbell(asAdmin().toArray(String[]::new));
    }

    private List<String> asAdmin() throws Exception {
        List<String> arguments = arguments();
        arguments.addAll(List.of("--admin-user", admin.getUser()));
        if (admin.getPassword() != null) {
            Path password = Files.writeString(folder.resolve("admin"), admin.getPassword());
            arguments.addAll(List.of("--admin-password-file", password.toString()));
        }
        return arguments;
    }

    private List<String> arguments() {
        List<String> arguments = new ArrayList<>(List.of("init-db"));
        for (String set : List.of(
                "node.id=a",
                "database.url=" + url(),
                "database.user=" + name,
                "database.password=secret",
                "zookeeper.connect=zk:2181")) {
            arguments.addAll(List.of("--set", set));
        }
        return arguments;
    }

    private String url() {
        return "jdbc:postgresql://" + admin.getServerNames()[0] + ":" + admin.getPortNumbers()[0] + "/" + name;
    }

    @Test
    void a_remote_server_needs_a_decision_about_its_encryption() {
        TypedCommand undecided = printed("jdbc:postgresql://db1.example:5432,127.0.0.1/twinbell");
        assertExit(78, undecided);
        assertTrue(
                undecided
                        .err()
                        .startsWith("database.url: db1.example:5432 is on another machine: add sslmode=verify-full"),
                undecided.err());
        assertExit(0, printed("jdbc:postgresql://db1.example/twinbell?sslmode=disable"));
    }

    private TypedCommand printed(String url) {
        List<String> arguments = arguments();
        arguments.addAll(List.of("--print", "--set", "database.url=" + url));
        return TypedCommand.twinbell(arguments.toArray(String[]::new));
    }
}
