package io.twinbell.node.api;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.twinbell.persistence.testing.TestPostgres;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.postgresql.ds.PGSimpleDataSource;

/** Stores of other schedulers whose rows have other types and values than the scheduler writes. */
class HostileStoreTest {
    private static final String UNREACHABLE = "http://127.0.0.1:1";

    @TempDir
    private Path directory;

    private PGSimpleDataSource store;

    @BeforeEach
    void create() {
        store = TestPostgres.emptyDatabase();
    }

    private void execute(String... statements) {
        for (String statement : statements) {
            TestPostgres.execute(store, statement);
        }
    }

    private TypedLine imported(String from) {
        List<String> words = List.of(
                "import",
                from,
                store.getURL(),
                "--user",
                store.getUser(),
                "--app",
                "a",
                "--zone",
                "UTC",
                "--to",
                directory.resolve("tasks.yaml").toString());
        return TypedLine.at(UNREACHABLE, words.toArray(String[]::new));
    }

    private static void assertSays(TypedLine said, int exitCode, String... texts) {
        String all = said.out() + said.err();
        assertEquals(exitCode, said.exitCode(), all);
        Stream.of(texts).forEach(text -> assertTrue(all.contains(text), text + " in\n" + all));
    }

    private void dbScheduler(String time, String picked, String data) {
        execute("drop table if exists scheduled_tasks", """
                create table scheduled_tasks (task_name text, task_instance text, task_data %s, execution_time %s,
                  picked %s, consecutive_failures int, priority smallint)""".formatted(data, time, picked));
    }

    private void execution(String instance, String data, String time, String picked) {
        execute("insert into scheduled_tasks values ('t', %s, %s, %s, %s, 0, 55)"
                .formatted(instance, data, time, picked));
    }

    @Test
    void executions_with_values_of_another_kind_are_named() {
        dbScheduler("timestamptz", "text", "bytea");
        execution("'null'", "null", "'2090-01-01Z'", "null");
        execution("'maybe'", "null", "'2090-01-01Z'", "'maybe'");
        execution("null", "null", "'2090-01-01Z'", "'f'");
        execution("'end'", "null", "'infinity'", "'f'");
        execution("'old'", "null", "'1960-01-01Z'", "'f'");
        execution("'none'", "null", "null", "'f'");
        execution("'micros'", "null", "'2090-01-01T00:00:00.000001Z'", "'f'");
        execution("'rest'", "convert_to('{\"a\":1} {\"b\":2}', 'UTF8')", "'2090-01-01Z'", "'f'");
        execution("'latin'", "'\\x22ff22'", "'2090-01-01Z'", "'f'");
        execution("'twice'", "convert_to('{\"a\":1,\"a\":2}', 'UTF8')", "'2090-01-01Z'", "'f'");
        execution("'deep'", "convert_to(repeat('[', 500000), 'UTF8')", "'2090-01-01Z'", "'f'");
        execution("'long'", "convert_to('\"' || repeat('x', 70000) || '\"', 'UTF8')", "'2090-01-01Z'", "'f'");
        execution("'zero'", "convert_to('\"a\\u0000b\"', 'UTF8')", "'2090-01-01Z'", "'f'");
        execution("E'a\\x1b[2Jb'", "null", "'2090-01-01Z'", "'f'");
        execution("repeat('n', 300)", "null", "'2090-01-01Z'", "'f'");
        assertSays(
                imported("db-scheduler"),
                1,
                "its column PICKED is empty",
                "its column PICKED is \"maybe\", and not true or false",
                "its column TASK_INSTANCE is empty",
                "execution_time +292278994",
                "execution_time 1960-01-01T00:00:00Z is not between 1970 and 2199",
                "its column EXECUTION_TIME is empty",
                "execution_time 2090-01-01T00:00:00.000001Z is rounded up to the millisecond",
                "priority 55 is 5 here",
                "t/rest: not imported",
                "t/latin: not imported",
                "t/twice: not imported",
                "t/deep: not imported",
                "its data is longer than 65536 bytes",
                "contains a zero byte or half of a character",
                "its name contains control characters",
                "its name must have 1 to 200 characters, not 302",
                "1 tasks are written");
    }

    @Test
    void a_time_without_a_zone_is_not_read_in_the_zone_of_this_machine() {
        dbScheduler("timestamp", "boolean", "bytea");
        execution("'x'", "null", "'2090-01-01 10:00'", "false");
        assertSays(
                imported("db-scheduler"), 1, "EXECUTION_TIME is \"2090-01-01 10:00:00\", and not a time with a zone");
    }

    @Test
    void a_table_of_another_kind_and_a_huge_one_are_one_sentence() {
        execute(
                "create table scheduled_tasks (task_name text, task_instance text, task_data bytea, execution_time text)");
        assertSays(imported("db-scheduler"), 2, "The table has no column PICKED (SELECT * FROM scheduled_tasks");
        dbScheduler("timestamptz", "boolean", "text");
        execute("""
                insert into scheduled_tasks select 't', i, repeat('x', 1000000), '2090-01-01Z', false, 0, 50
                from generate_series(1, 80) i""");
        assertSays(imported("db-scheduler"), 2, "more than 50000 rows or 33554432 bytes");
        execute("update scheduled_tasks set task_data = repeat('x', 100000000) where task_instance = '1'");
        assertSays(imported("db-scheduler"), 2, "Can't read the tables (SELECT * FROM scheduled_tasks");
    }

    private void quartz() {
        execute(
                """
                create table qrtz_job_details (sched_name text, job_name text, job_group text, description text,
                  job_class_name text, is_durable text, is_nonconcurrent text, is_update_data text,
                  requests_recovery text, job_data bytea)""",
                """
                create table qrtz_triggers (sched_name text, trigger_name text, trigger_group text, job_name text,
                  job_group text, trigger_type text, trigger_state text, calendar_name text, priority text,
                  misfire_instr text, next_fire_time text, start_time text, end_time text, job_data bytea)""",
                "create table qrtz_cron_triggers (sched_name text, trigger_name text, trigger_group text,"
                        + " cron_expression text, time_zone_id text)",
                "create table qrtz_simple_triggers (sched_name text, trigger_name text, trigger_group text,"
                        + " repeat_count text, repeat_interval text, times_triggered text)",
                "create table qrtz_simprop_triggers (sched_name text, trigger_name text, trigger_group text,"
                        + " str_prop_1 text, str_prop_2 text, int_prop_1 text)",
                "create table qrtz_calendars (sched_name text, calendar_name text, calendar bytea)");
    }

    private void job(String name, String durable, String data) {
        execute("insert into qrtz_job_details values ('s', '%s', 'g', null, 'C', '%s', '0', '0', '0', %s)"
                .formatted(name, durable, data));
    }

    private void trigger(String group, String name, String type, String priority, String next) {
        execute(
                "insert into qrtz_triggers values ('s', '%s', '%s', 'ok', 'g', %s, 'WAITING', null, %s, '0', %s, '1', '0')"
                        .formatted(name, group, type, priority, next));
    }

    private void simple(String group, String name, String count, String interval) {
        execute("insert into qrtz_simple_triggers values ('s', '%s', '%s', %s, %s, '0')"
                .formatted(name, group, count, interval));
    }

    @Test
    void rows_of_quartz_with_values_of_another_kind_are_named() {
        quartz();
        job("ok", "1", "null");
        job("perhaps", "perhaps", "null");
        job("garbage", "1", "'\\x504b0304'");
        job("twice", "1", "convert_to(E'a=1\\na=2', 'UTF8')");
        execute("insert into qrtz_job_details values ('s', null, null, null, null, '1', '0', '0', '0', null)");
        trigger("g", "untyped", "null", "'5'", "'2000000000000'");
        trigger("g", "urgent", "'SIMPLE'", "'99999999999'", "'2000000000000'");
        trigger("g", "many", "'SIMPLE'", "'5'", "'2000000000000'");
        simple("g", "many", "'many'", "'1000'");
        trigger("g", "empty", "'SIMPLE'", "'5'", "'2000000000000'");
        simple("g", "empty", "null", "'1000'");
        trigger("g", "late", "'SIMPLE'", "'5'", "'9223372036854775807'");
        simple("g", "late", "'0'", "'0'");
        trigger("g", "plain", "'CRON'", "'5'", "'2000000000000'");
        execute("insert into qrtz_cron_triggers values ('s', 'plain', 'g', null, null)");
        trigger("g", "b.c", "'SIMPLE'", "'5'", "'2000000000000'");
        simple("g", "b.c", "'0'", "'0'");
        trigger("g.b", "c", "'SIMPLE'", "'5'", "'2000000000000'");
        simple("g.b", "c", "'0'", "'0'");
        assertSays(
                imported("quartz"),
                1,
                "column IS_DURABLE is \"perhaps\", and not true or false",
                "its job data is neither serialized nor properties",
                "\"a\" is there twice",
                "column JOB_CLASS_NAME is empty",
                "trigger g.untyped: not imported",
                "column TRIGGER_TYPE is empty",
                "trigger g.urgent: not imported",
                "column REPEAT_COUNT is \"many\", and not a whole number",
                "column REPEAT_COUNT is empty",
                "its time +292278994-08-17T07:12:55.807Z is not between 1970 and 2199",
                "column CRON_EXPRESSION is empty",
                "becomes g.b.c, as trigger g.b.c does");
    }

    private void jobRunr() {
        execute(
                "create table jobrunr_recurring_jobs (id text, jobAsJson text)",
                "create table jobrunr_jobs (id text, state text, jobAsJson text, recurringJobId text)");
    }

    private void recurring(String id, String json) {
        execute("insert into jobrunr_recurring_jobs values ('%s', '%s')".formatted(id, json));
    }

    @Test
    void jobs_of_jobrunr_with_values_of_another_kind_are_named() {
        jobRunr();
        String details = "\"jobDetails\":{\"className\":\"C\",\"methodName\":\"m\",\"jobParameters\":[]}";
        recurring("number", "{\"scheduleExpression\":5," + details + "}");
        recurring("zone", "{\"scheduleExpression\":\"0 4 * * *\",\"zoneId\":[]," + details + "}");
        recurring("rest", "{\"scheduleExpression\":\"0 4 * * *\"," + details + "} {}");
        recurring("list", "[]");
        recurring("empty", "");
        recurring("retries", "{\"scheduleExpression\":\"0 4 * * *\",\"amountOfRetries\":\"many\"," + details + "}");
        recurring("retries2", "{\"scheduleExpression\":\"0 4 * * *\",\"amountOfRetries\":2147483647," + details + "}");
        recurring("label", "{\"scheduleExpression\":\"0 4 * * *\",\"labels\":[\"x\"]," + details + "}");
        recurring("parameters", "{\"scheduleExpression\":\"0 4 * * *\"," + details.replace("[]", "{}") + "}");
        recurring("object", "{\"scheduleExpression\":\"0 4 * * *\"," + details.replace("[]", "[{}]") + "}");
        execute(
                "insert into jobrunr_jobs values ('none', null, '{}', null)",
                "insert into jobrunr_jobs values ('time', 'SCHEDULED', '{\"jobHistory\":[{\"scheduledAt\":5}]}', null)",
                "insert into jobrunr_jobs values ('word', 'SCHEDULED', '{\"jobHistory\":[{\"scheduledAt\":\"soon\"}]}', null)");
        assertSays(
                imported("jobrunr"),
                1,
                "its scheduleExpression must be a text",
                "its zoneId must be a text",
                "its JSON cannot be read: Trailing token",
                "its JSON is not an object",
                "column JOBASJSON is empty",
                "its amountOfRetries is not a whole number from 0: \"many\"",
                "amountOfRetries 2147483647 is 999 here",
                "settings that a task does not have are left out: labels",
                "its jobParameters must be a list",
                "has a parameter without an object",
                "is null: import again",
                "its scheduledAt must be a text",
                "its scheduledAt is not an instant: soon");
    }
}
