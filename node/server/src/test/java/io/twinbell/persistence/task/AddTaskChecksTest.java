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
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.postgresql.ds.PGSimpleDataSource;
import org.postgresql.util.PSQLException;

/** The checks of the SQL functions before the commit, the rights of callers, and which names count as free. */
class AddTaskChecksTest {
    private static final PGSimpleDataSource DATABASE = TestPostgres.freshDatabase();
    private static final String LOG = "{\"type\":\"log\"}";
    private static final String IN = "{\"in\":\"PT2H\"}";
    private static final String DATA = "{\"data\":{\"a\":1,\"list\":[1,null],\"dots\":\"..\",\"umlaut\":\"\u00fc\"}}";

    private Connection application;

    @BeforeEach
    void connect() throws SQLException {
        TestPostgres.clear(DATABASE);
        TestPostgres.execute(
                DATABASE,
                "do $$ begin create role shop_caller; exception when duplicate_object or unique_violation then null; end $$;"
                        + " grant usage on schema twinbell to shop_caller; grant execute on function twinbell.add_task,"
                        + " twinbell.add_tasks, twinbell.remove_task(bigint), twinbell.remove_task(text, text), twinbell.cancel_task to shop_caller");
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

    @Test
    void onExcluded_has_three_values_and_no_jitter_beside_it() throws SQLException {
        assertTrue(add("moved", IN, LOG, "{\"onExcluded\":\"SKIP\",\"jitter\":\"PT1S\"}") > 0);
        assertRefused("22023", "option onExcluded must be one of SKIP, NEXT", IN, LOG, "{\"onExcluded\":\"LATER\"}");
        assertRefused(
                "22023", "can't be combined with jitter", IN, LOG, "{\"onExcluded\":\"NEXT\",\"jitter\":\"PT1S\"}");
    }

    @Test
    void onDoubt_has_three_values() throws SQLException {
        assertTrue(add("asked", IN, LOG, "{\"onDoubt\":\"ASK\"}") > 0);
        PSQLException refused =
                assertThrows(PSQLException.class, () -> add("wrong", IN, LOG, "{\"onDoubt\":\"MAYBE\"}"));
        assertTrue(refused.getMessage().contains("option onDoubt must be "), refused.getMessage());
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
                "{\"rrule\":\"FREQ=DAILY\"}; schedule.dtstart is required",
                "{\"rrule\":\"RRULE:FREQ=DAILY\",\"dtstart\":\"2026-01-05\"}; write the rule alone",
                "{\"rrule\":\"every day\",\"dtstart\":\"2026-01-05\"}; schedule.rrule is not a rule",
                "{\"rrule\":\"BYDAY=MO\",\"dtstart\":\"2026-01-05\"}; schedule.rrule has no FREQ",
                "{\"rrule\":\"FREQ=OFTEN\",\"dtstart\":\"2026-01-05\"}; schedule.rrule has the FREQ",
                "{\"rrule\":\"FREQ=DAILY\",\"dtstart\":\"2026-01-05T09:00Z\"}; schedule.dtstart is not a local time",
                "{\"rrule\":\"FREQ=DAILY\",\"dtstart\":\"2026-02-30\"}; there is no such day",
                "{\"rrule\":\"FREQ=DAILY\",\"dtstart\":\"2200-01-01\"}; only 1970 to 2199",
                "{\"rrule\":\"FREQ=DAILY\",\"dtstart\":\"2026-01-05\",\"rdate\":\"x\"}; schedule.rdate must be a list",
                "{\"rrule\":\"FREQ=DAILY\",\"dtstart\":\"2026-01-05\",\"exdate\":[\"2026-01-06\",5]}; schedule.exdate[1] is not",
                "{\"rrule\":\"FREQ=DAILY\",\"dtstart\":\"2026-01-05\",\"dialect\":\"UNIX\"}; unknown field",
                "{\"every\":\"PT0.009S\"}; must lie between 10 ms",
                "{\"every\":\"PT1S\",\"mod\":\"FIXED_RATE\"}; did you mean \"mode\"?",
                "{\"every\":\"PT1S\",\"align\":\"PT0S\"}; schedule.align must lie between 10 ms",
                "{\"every\":\"PT1S\",\"align\":5}; schedule.align must be a JSON string",
                "{\"every\":\"PT1S\",\"first\":\"AFTER\"}; schedule.first must be one of AT_START",
                "{\"in\":\"PT1S\",\"align\":\"PT1H\"}; unknown",
                "{\"at\":\"2026-01-01T00:00:00Z\",\"past\":\"REFUSE\"}; schedule.at has passed, and schedule.past is REFUSE",
                "{\"at\":\"2126-01-01T00:00:00Z\",\"past\":\"DROP\"}; schedule.past must be one of FIRE",
                "{\"in\":\"PT1S\",\"past\":\"REFUSE\"}; unknown",
                "{\"at\":\"2026-02-30T00:00:00Z\"}; schedule.at is not an instant",
                "{\"at\":\"2300-01-01T00:00:00Z\"}; between 1970 and 2199",
                "{\"at\":\"2030-01-01T24:00:00Z\"}; schedule.at is not an instant",
                "{\"cron\":\"61 * * * *\"}; allowed are 0 to 59",
                "{\"cron\":\"0 0 * *\"}; not 4: ",
                "{\"cron\":\"*/0 * * * *\"}; a step is a number of 1 or more",
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
                "{\"type\":\"http\",\"url\":\"http://x:99999/\"}; has an invalid port: 99999",
                "{\"type\":\"http\",\"url\":\"http://x/\",\"boddy\":\"\"}; did you mean \"body\"?",
                "{\"type\":\"http\",\"url\":\"http://x/\",\"successCodes\":[700]}; handler.successCodes contains 700",
                "{\"type\":\"http\",\"url\":\"http://x/\",\"headers\":{\"Host\":\"y\"}}; sets this header",
                "{\"type\":\"http\",\"url\":\"http://u:p@x/\"}; must not contain a user name or password",
                "{\"type\":\"http\",\"url\":\"http://x/#part\"}; must not have a fragment",
                "{\"type\":\"http\",\"url\":\"http://x/a b\"}; must not contain a space",
                "{\"type\":\"http\",\"url\":\"http://x/%zz\"}; two hexadecimal digits",
                "{\"type\":\"http\",\"url\":\"http://[::1/\"}; has an invalid host",
                "{\"type\":\"http\",\"url\":\"http://x/\",\"method\":\"get\"}; did you mean \"GET\"?",
                "{\"type\":\"http\",\"url\":\"http://x/\",\"method\":\"TRACE\"}; must be an HTTP method such as POST",
                "{\"type\":\"sql\",\"statement\":\"drop table x\"}; must not begin with drop",
                "{\"type\":\"sql\",\"statement\":[\"select 1\",\" -- a\\n /* b * c */ (do\"]}; must not begin with do",
                "{\"type\":\"java\",\"key\":\"k\",\"kee\":1}; did you mean \"key\"?",
                "{\"type\":\"shell\",\"command\":\"date\"}; handler.command must be a list",
                "{\"type\":\"sql\"}; handler.statement must be",
                "{\"type\":\"log\",\"message\":\"a\\u2028b\"}; no control characters",
            })
    void a_handler_that_makes_no_sense_is_refused_in_the_transaction(String handler, String part) {
        assertRefused("22023", part, IN, handler, "{}");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '\u0001', textBlock = """
            http://a..b/ | has an invalid host
            http://a..b/${slot} | has an invalid host
            http://.a/ | has an invalid host
            http://a!b/ | has an invalid host
            http://256.1.1.1/ | has an invalid IPv4 address
            http://[1:2:3]/ | has an invalid host
            http://:80/ | has no host
            http://a:80x/ | has an invalid port: 80x
            http://stra\u00dfe.de/ | standards convert in different ways
            http://x/{slot} | must not contain the character "{"
            http://x/a"b | write %22
            http://x/${slot}#top | must not have a fragment
            http://x/${slot | has "${" without "}"
            http://x/${slto} | unknown variable "slto"
            http://x/${ slot } | unknown variable
            http://x/?q=${data.b} | the task's data has no "data.b"
            http://x/?q=${data.list.2} | the task's data has no "data.list.2"
            http://x/?q=${data.a..b} | unknown variable
            http://x/${data.dots} | must not be empty or consist only of dots
            http://x/?q=${secret.KEY} | must not contain a secret
            http://x/?q=${alert} | exists only in the webhook of an alert
            """)
    void a_url_that_would_only_fail_when_it_fires_is_refused_in_the_transaction(String url, String part) {
        String handler = "{\"type\":\"http\",\"url\":" + quoted(url) + "}";
        assertRefused("22023", "handler.url", IN, handler, DATA);
        assertRefused("22023", part, IN, handler, DATA);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '\u0001', textBlock = """
            "body":"{\\"a\\":${slot" | handler.body has "${" without
            "body":"${data.none}" | handler.body has ${data.none}: the task's data has no
            "body":"${secret.KEY}" | must not contain a secret
            "headers":{"X-A":"${now}"} | handler.headers.X-A has ${now}: unknown variable
            "headers":{"X-A":"${data.umlaut}"} | a value in a header must be printable ASCII
            "headers":{"X-A":"${secret.key}"} | is not a valid name of a secret
            "headers":{"X-A":"${secret.KEY_FILE}"} | is not a valid name of a secret
            "headers":{"X-A":"1","x-a":"2"} | twice
            "secret":{"ref":"key"} | handler.secret.ref is not a valid name of a secret
            """)
    void a_template_that_names_nothing_is_refused_in_the_transaction(String member, String part) {
        assertRefused("22023", part, IN, "{\"type\":\"http\",\"url\":\"http://x/\"," + member + "}", DATA);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '\u0001',
            value = {
                "select 1; select 2 | must be one statement",
                "select 1;; | must be one statement",
                "select 1 -- a;\u00b6; delete from x | must be one statement",
                "select ';' /* ; */; drop table x | must be one statement",
                "select E'\\';'; drop table x | must be one statement",
                "select $a$;$a$; drop table x | must be one statement",
                "select 1 /* /* */ ; */; drop table x | must be one statement",
                "/* /* */ select 1 */ drop table x | must begin with one of",
                "1 drop table x | must begin with one of",
                "/* /* */ select 1 | has a comment that is not closed",
                "select 'a | has a quote that is not closed",
                "select $a$ x $b$ | has a dollar quote that is not closed",
                "select $1 | must use named parameters",
                "delete from twinbell.task | must not contain the name \"twinbell\"",
                "delete from TwinBell . task | must not contain the name \"twinbell\"",
                "delete from \"twinbell\".task | must not contain the name \"twinbell\"",
                "select x::twinbell.mood | must not contain the name \"twinbell\"",
                "select 1 /* /* a */ b */ from twinbell.task | must not contain the name \"twinbell\"",
                "select pg_catalog.set_config('role', 'none', true) | must not contain the name \"set_config\"",
                "select u&'\\0061' | must not contain U& escapes",
                "select :slto | has the unknown parameter \":slto\"",
                "select :data.b | the task's data has no \"data.b\"",
                "select :secret.KEY | must not contain a secret",
                "-- nothing | must be an SQL statement",
            })
    void a_statement_that_hides_something_is_refused_in_the_transaction(String written, String part) {
        String statement = written.replace('\u00b6', '\n');
        String handler = "{\"type\":\"sql\",\"statement\":" + quoted(statement) + "}";
        assertRefused("22023", part, IN, handler, DATA);
        assertRefused(
                "22023",
                "handler.statement/1 ",
                IN,
                "{\"type\":\"sql\",\"statement\":[\"select 1\"," + quoted(statement) + "]}",
                DATA);
    }

    private static String quoted(String text) {
        return "\"" + text.replace("\\", "\\\\").replace("\"", "\\\"").replace("\n", "\\n") + "\"";
    }

    @ParameterizedTest
    @CsvSource(delimiter = ';', quoteCharacter = '\u0001', textBlock = """
            {"overlp":"SKIP"}; did you mean "overlap"?
            {"overlap":"SKPI"}; did you mean "SKIP"?
            {"overlap":{"policy":"SKIP","max":2}}; only with the policy QUEUE
            {"misfire":{"threshold":"soon"}}; option misfire.threshold must be a duration
            {"retry":{"maxAttempts":1001}}; whole number from 1 to 1000
            {"retry":{"backoff":"PT2M","maxBackoff":"PT1M"}}; must not be shorter than the backoff
            {"retry":{"onlyOn":[]}}; option retry.onlyOn must be a list of 1 to 32 error codes
            {"retry":{"onlyOn":"HTTP_503"}}; option retry.onlyOn must be a list of 1 to 32 error codes
            {"retry":{"notOn":["HTTP_4*","http"]}}; option retry.notOn contains what is not an error code
            {"retry":{"notOn":[503]}}; option retry.notOn contains what is not an error code
            {"retry":{"on":["HTTP_503"]}}; option retry
            {"orphan":"DORP"}; did you mean "DROP"?
            {"timeout":"P8D"}; PT0.001S and P7D
            {"expireAfter":"PT0S"}; PT0.001S and P365D
            {"expireAfter":600}; option expireAfter must be a JSON string
            {"priority":10}; from 0 to 9
            {"tags":["a\\u202eb"]}; without control characters
            {"owner":"a\\u2029b"}; must not contain control characters
            {"calendars":["nowhere"]}; contains a calendar that does not exist
            {"end":"2020-01-01T00:00:00Z"}; must not be before the start
            {"then":[{"name":"a","ap":"b"}]}; did you mean "app"?
            """)
    void an_option_that_makes_no_sense_is_refused_in_the_transaction(String options, String part) {
        assertRefused("22023", part, IN, LOG, options);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"in\":\"1h30m\"}",
                "{\"in\":\"P2W\"}",
                "{\"rrule\":\"FREQ=DAILY\",\"dtstart\":\"2026-01-05\"}",
                "{\"rrule\":\"freq=monthly\",\"dtstart\":\"20260105T090000\",\"zone\":\"Europe/Berlin\",\"rdate\":[],\"exdate\":[\"2026-01-06\",\"2026-01-07T09:00\"],\"dstGap\":\"SKIP\"}",
                "{\"in\":\"pt0.25s\"}",
                "{\"every\":\"10ms\"}",
                "{\"every\":\"15m\",\"align\":\"1h\",\"first\":\"AFTER_INTERVAL\"}",
                "{\"at\":\"2026-01-01T00:00:00.000+02:00\"}",
                "{\"at\":\"2026-01-01T00:00:00Z\",\"past\":\"FIRE\"}",
                "{\"at\":\"2126-01-01T00:00:00Z\",\"past\":\"REFUSE\"}",
                "{\"cron\":\"@every 5m\"}",
                "{\"cron\":\"CRON_TZ=Europe/Berlin 30 2 * * MON-FRI\"}",
                "{\"cron\":\"0 0 12 ? * FRI#2\"}",
                "{\"cron\":\"0 0 12 L-3 * ?\"}",
                "{\"cron\":\"H H(0-5) 1,15W * *\"}",
                "{\"cron\":\"0 0 22-2/2 * jan-MAR ? 2030\"}",
            })
    void whatever_the_api_accepts_is_accepted(String schedule) throws SQLException {
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
                "{\"type\":\"http\",\"url\":\"http://my_service.:0080/a/${data.a}/x?q=${data.list.1}&r=%${data.a}1\"}",
                "{\"type\":\"http\",\"url\":\"http://[::ffff:1.2.3.4]/\",\"body\":\"$${x ${data} ${fireTime}{{y}}\"}",
                "{\"type\":\"http\",\"url\":\"http://x/\",\"headers\":{\"A\":\"${secret.KEY_1} ${slot}\"},\"secret\":{\"ref\":\"B\"}}",
                "{\"type\":\"sql\",\"statement\":\"select 1 ; -- a ; b\\n/* ; /* ; */ */ \"}",
                "{\"type\":\"sql\",\"statement\":\"select 'twinbell; ''', $$; :x twinbell$$, E'\\\\'; twinbell'\"}",
                "{\"type\":\"sql\",\"statement\":\"select \\\"a;b\\\", :slot, x::text, a[1:2], :own ? 'a', 1twinbell\",\"parameters\":{\"own\":1}}",
            })
    void a_handler_that_the_api_may_take_is_taken(String handler) throws SQLException {
        assertTrue(add("good", IN, handler, DATA) > 0);
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
    void an_http_profile_must_be_one_of_a_node_and_the_caller_needs_the_right_to_use_secrets() throws SQLException {
        String call = "{\"type\":\"http\",\"url\":\"http://x/\",\"profile\":\"partner\"}";
        assertRefused("22023", "no node has the http profile \"partner\"", IN, call, "{}");
        new HandlerKeys(DATABASE).publish("a", new HandlerKeys.NodeOffers(List.of(), List.of(), List.of("partner")));
        try {
            assertTrue(add("by-profile", IN, call, "{}") > 0);
            String misspelled = call.replace("partner", "partnr");
            assertRefused("22023", "no node has the http profile \"partnr\"", IN, misspelled, "{}");
            assertEquals("did you mean \"partner\"?", hint(misspelled));
            String header = call.replace("}", ",\"headers\":{\"Proxy-Authorization\":\"x\"}}");
            assertRefused("22023", "Proxy-Authorization: the profile sets this header", IN, header, "{}");
            application.createStatement().execute("set role shop_caller");
            assertRefused("42501", "may not manage tasks that use http profiles", IN, call, "{}");
            TestPostgres.execute(DATABASE, "select twinbell.allow_caller('shop_caller', secrets => true)");
            assertTrue(add("by-role", IN, call, "{}") > 0);
        } finally {
            TestPostgres.execute(DATABASE, "delete from twinbell.node_handlers");
        }
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
        String store = "update twinbell.task set definition = definition where id = " + start;
        // As the master writes definitions anew, for example with other defaults: it is not their author.
        application.createStatement().execute("begin; set local twinbell.quotas = 'exempt'; " + store + "; commit");
        application.createStatement().execute("delete from twinbell.execution");
        assertTrue(after(start, "end").startsWith("SKIPPED"));
        application.createStatement().execute(store);
        application.createStatement().execute("delete from twinbell.execution");
        assertEquals("PENDING then of shop/start", after(start, "end"));
    }

    private String hint(String handler) {
        return assertThrows(PSQLException.class, () -> add("hinted", IN, handler, "{}"))
                .getServerErrorMessage()
                .getHint();
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
