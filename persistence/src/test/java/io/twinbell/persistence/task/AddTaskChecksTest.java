package io.twinbell.persistence.task;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.twinbell.persistence.testing.TestPostgres;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.postgresql.ds.PGSimpleDataSource;
import org.postgresql.util.PSQLException;

/** What the SQL functions find before the commit, whom they let do what, and which names they take for free. */
class AddTaskChecksTest {
    private static final PGSimpleDataSource DATABASE = TestPostgres.freshDatabase();
    private static final String LOG = "{\"type\":\"log\"}";
    private static final String IN = "{\"in\":\"PT2H\"}";

    private Connection application;

    @BeforeEach
    void connect() throws SQLException {
        TestPostgres.execute(DATABASE, "truncate twinbell.task, twinbell.caller_right cascade");
        TestPostgres.execute(
                DATABASE,
                "do $$ begin create role shop_caller; exception when duplicate_object or unique_violation then null; end $$;"
                        + " grant usage on schema twinbell to shop_caller; grant execute on function twinbell.add_task,"
                        + " twinbell.add_tasks, twinbell.remove_task(bigint), twinbell.remove_task(text, text) to shop_caller");
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

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            quoteCharacter = '\u0001',
            value = {
                "{\"in\":\"banana\"}; schedule.in is not a duration",
                "{\"in\":\"PT-1S\"}; must lie between PT0S and ten years",
                "{\"in\":\"P1M\"}; use days (P30D)",
                "{\"every\":\"PT0.009S\"}; must lie between 10 ms",
                "{\"every\":\"PT1S\",\"mod\":\"FIXED_RATE\"}; did you mean \"mode\"?",
                "{\"at\":\"2026-02-30T00:00:00Z\"}; schedule.at is not an instant",
                "{\"at\":\"2300-01-01T00:00:00Z\"}; between 1970 and 2199",
                "{\"at\":\"2030-01-01T24:00:00Z\"}; schedule.at is not an instant",
                "{\"cron\":\"61 * * * *\"}; allowed are 0 to 59",
                "{\"cron\":\"0 0 * *\"}; has 4 fields",
                "{\"cron\":\"*/0 * * * *\"}; a step is a number from 1 on",
                "{\"cron\":\"0 2 * * *\",\"zone\":\"Europe/Berln\"}; not a time zone",
                "{\"cron\":\"0 2 * * *\",\"dialect\":\"QARTZ\"}; did you mean \"QUARTZ\"?",
            })
    void a_schedule_that_makes_no_sense_is_refused_in_the_transaction(String schedule, String part) {
        assertRefused("22023", part, schedule, LOG, "{}");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            quoteCharacter = '\u0001',
            value = {
                "{\"type\":\"htpp\"}; did you mean \"http\"?",
                "{\"type\":\"http\"}; handler.url is required",
                "{\"type\":\"http\",\"url\":\"ftp://x/\"}; absolute http or https URL",
                "{\"type\":\"http\",\"url\":\"http://x:99999/\"}; names the port 99999",
                "{\"type\":\"http\",\"url\":\"http://x/\",\"boddy\":\"\"}; did you mean \"body\"?",
                "{\"type\":\"http\",\"url\":\"http://x/\",\"successCodes\":[700]}; handler.successCodes has 700",
                "{\"type\":\"http\",\"url\":\"http://x/\",\"headers\":{\"Host\":\"y\"}}; sets itself",
                "{\"type\":\"http\",\"url\":\"http://u:p@x/\"}; must not carry a user name or password",
                "{\"type\":\"http\",\"url\":\"http://x/#part\"}; must have no fragment",
                "{\"type\":\"http\",\"url\":\"http://x/a b\"}; has a blank",
                "{\"type\":\"http\",\"url\":\"http://x/%zz\"}; two hexadecimal digits",
                "{\"type\":\"http\",\"url\":\"http://[::1/\"}; is not a host",
                "{\"type\":\"http\",\"url\":\"http://x/\",\"method\":\"get\"}; did you mean \"GET\"?",
                "{\"type\":\"http\",\"url\":\"http://x/\",\"method\":\"TRACE\"}; must be an HTTP method such as POST",
                "{\"type\":\"sql\",\"statement\":\"drop table x\"}; must not begin with drop",
                "{\"type\":\"sql\",\"statement\":[\"select 1\",\" -- a\\n /* b * c */ (do\"]}; must not begin with do",
                "{\"type\":\"java\",\"key\":\"k\",\"kee\":1}; did you mean \"key\"?",
                "{\"type\":\"shell\",\"command\":\"date\"}; handler.command must be a list",
                "{\"type\":\"sql\"}; handler.statement must be",
                "{\"type\":\"log\",\"message\":\"a\\u2028b\"}; none of them control characters",
            })
    void a_handler_that_makes_no_sense_is_refused_in_the_transaction(String handler, String part) {
        assertRefused("22023", part, IN, handler, "{}");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            quoteCharacter = '\u0001',
            value = {
                "{\"overlp\":\"SKIP\"}; did you mean \"overlap\"?",
                "{\"overlap\":\"SKPI\"}; did you mean \"SKIP\"?",
                "{\"overlap\":{\"policy\":\"SKIP\",\"max\":2}}; only for QUEUE",
                "{\"misfire\":{\"threshold\":\"soon\"}}; option misfire.threshold must be a duration",
                "{\"retry\":{\"maxAttempts\":1001}}; whole number from 1 to 1000",
                "{\"retry\":{\"backoff\":\"PT2M\",\"maxBackoff\":\"PT1M\"}}; shorter than the backoff",
                "{\"orphan\":\"DORP\"}; did you mean \"DROP\"?",
                "{\"timeout\":\"P8D\"}; PT0.001S and P7D",
                "{\"priority\":10}; from 0 to 9",
                "{\"tags\":[\"a\\u202eb\"]}; none of them control characters",
                "{\"owner\":\"a\\u2029b\"}; must have no control characters",
                "{\"calendars\":[\"nowhere\"]}; there is no calendar",
                "{\"end\":\"2020-01-01T00:00:00Z\"}; lies before the start",
                "{\"then\":[{\"name\":\"a\",\"ap\":\"b\"}]}; did you mean \"app\"?",
            })
    void an_option_that_makes_no_sense_is_refused_in_the_transaction(String options, String part) {
        assertRefused("22023", part, IN, LOG, options);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"in\":\"1h30m\"}",
                "{\"in\":\"P2W\"}",
                "{\"in\":\"pt0.25s\"}",
                "{\"every\":\"10ms\"}",
                "{\"at\":\"2026-01-01T00:00:00.000+02:00\"}",
                "{\"cron\":\"@every 5m\"}",
                "{\"cron\":\"CRON_TZ=Europe/Berlin 30 2 * * MON-FRI\"}",
                "{\"cron\":\"0 0 12 ? * FRI#2\"}",
                "{\"cron\":\"0 0 12 L-3 * ?\"}",
                "{\"cron\":\"H H(0-5) 1,15W * *\"}",
                "{\"cron\":\"0 0 22-2/2 * jan-MAR ? 2030\"}",
            })
    void what_the_api_takes_is_taken(String schedule) throws SQLException {
        assertTrue(add("good", schedule, LOG, "{}") > 0);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"type\":\"http\",\"url\":\"http://x/${data.a}?q=${slot}%\"}",
                "{\"type\":\"http\",\"url\":\"http://[::1]:9000/a%20b/日?q=%C3%A4\",\"method\":\"PROPFIND\"}",
                "{\"type\":\"http\",\"url\":\"http://x/?mail=a@b\",\"method\":\"QUERY\"}",
                "{\"type\":\"sql\",\"statement\":\"  -- why\\n/* and * what */ ((SELECT 1))\"}",
                "{\"type\":\"sql\",\"statement\":[\"With x as (select 1) table x\",\"/* a /* b */ c */ values (1)\"]}",
            })
    void a_handler_that_the_api_may_take_is_taken(String handler) throws SQLException {
        assertTrue(add("good", IN, handler, "{}") > 0);
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
    void a_caller_has_no_sql_no_shell_and_no_secrets_until_the_owner_allows_them() throws SQLException {
        application.createStatement().execute("set role shop_caller");
        String sql = "{\"type\":\"sql\",\"statement\":\"select 1\"}";
        String shell = "{\"type\":\"shell\",\"command\":[\"/bin/date\"]}";
        String secret = "{\"type\":\"http\",\"url\":\"http://x/\",\"headers\":{\"A\":\"${secret.B}\"}}";
        for (String handler :
                new String[] {sql, shell, secret, "{\"type\":\"http\",\"url\":\"http://x/\",\"secret\":{\"ref\":\"B\"}}"
                }) {
            assertRefused("42501", "may not have tasks", IN, handler, "{}");
        }
        assertTrue(add("usual", IN, "{\"type\":\"http\",\"url\":\"http://x/\"}", "{}") > 0);
        TestPostgres.execute(
                DATABASE, "select twinbell.allow_caller('shop_caller', handlers => '{sql,http}', secrets => true)");
        assertTrue(add("sql", IN, sql, "{}") > 0);
        assertTrue(add("secret", IN, secret, "{}") > 0);
        assertRefused("42501", "handler type log", IN, LOG, "{}");
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
