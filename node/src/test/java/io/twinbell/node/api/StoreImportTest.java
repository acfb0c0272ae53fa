package io.twinbell.node.api;

import static io.twinbell.node.api.TypedLine.assertExit;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.github.kagkarlsson.scheduler.SchedulerClient;
import com.github.kagkarlsson.scheduler.serializer.Serializer;
import com.github.kagkarlsson.scheduler.task.ExecutionComplete;
import com.github.kagkarlsson.scheduler.task.TaskDescriptor;
import com.github.kagkarlsson.scheduler.task.helper.RecurringTask;
import com.github.kagkarlsson.scheduler.task.helper.Tasks;
import com.github.kagkarlsson.scheduler.task.schedule.CronSchedule;
import com.github.kagkarlsson.scheduler.task.schedule.FixedDelay;
import io.twinbell.node.engine.task.Schedule;
import io.twinbell.node.schedule.Schedules;
import io.twinbell.node.schedule.Window;
import io.twinbell.persistence.testing.TestPostgres;
import java.io.IOException;
import java.io.InputStream;
import java.io.Serializable;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Date;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TimeZone;
import java.util.TreeSet;
import org.jobrunr.configuration.JobRunr;
import org.jobrunr.jobs.context.JobContext;
import org.jobrunr.scheduling.JobScheduler;
import org.jobrunr.scheduling.cron.CronExpression;
import org.jobrunr.storage.sql.postgres.PostgresStorageProvider;
import org.jobrunr.utils.mapper.jackson.JacksonJsonMapper;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.postgresql.ds.PGSimpleDataSource;
import org.quartz.Job;

/** Imports stores that db-scheduler and JobRunr themselves have written. */
class StoreImportTest {
    private static final Instant LONG_AFTER = Instant.parse("2090-01-01T00:00:00Z");

    @AutoClose
    private static final ApiFixture api = new ApiFixture();

    /** What no reader but its own code understands. */
    public record Secret(String value) implements Serializable {}

    /** A service whose methods JobRunr calls. */
    public static class Mail {
        public void send(String to, int copies, JobContext context) {
            throw new IllegalStateException("nothing is run here");
        }

        public void tidy() {
            throw new IllegalStateException("nothing is run here");
        }
    }

    private static TypedLine imported(String from, PGSimpleDataSource store, String... more) {
        List<String> words =
                new ArrayList<>(List.of("import", from, store.getURL(), "--user", store.getUser(), "--app", from));
        words.addAll(Arrays.asList(more));
        return TypedLine.at(api.url(), words.toArray(String[]::new));
    }

    private static JsonNode task(String app, String name) {
        return api.get("/api/v1/apps/" + app + "/tasks/" + name).body();
    }

    private static void assertSays(TypedLine said, String... texts) {
        for (String text : texts) {
            assertTrue(said.out().contains(text), text + " in\n" + said.out() + said.err());
        }
    }

    @Test
    void planned_executions_of_db_scheduler_become_one_shots_with_their_data() {
        PGSimpleDataSource store = TestPostgres.emptyDatabase();
        TestPostgres.execute(store, """
                create table scheduled_tasks (task_name text not null, task_instance text not null, task_data bytea,
                  execution_time timestamp with time zone not null, picked boolean not null, picked_by text,
                  last_success timestamp with time zone, last_failure timestamp with time zone, consecutive_failures int,
                  last_heartbeat timestamp with time zone, version bigint not null, priority smallint,
                  primary key (task_name, task_instance))""");
        RecurringTask<Void> report =
                Tasks.recurring("report", FixedDelay.ofHours(1)).execute((instance, context) -> {});
        SchedulerClient client = SchedulerClient.Builder.create(store, report).build();
        SchedulerClient json = SchedulerClient.Builder.create(store)
                .serializer(new JsonSerializer())
                .build();
        client.scheduleIfNotExists(report.instance(RecurringTask.INSTANCE), LONG_AFTER);
        client.scheduleIfNotExists(
                TaskDescriptor.of("mail", HashMap.class)
                        .instance("4711")
                        .data(new HashMap<>(Map.of("to", "a@example.org", "copies", 2)))
                        .build(),
                LONG_AFTER);
        client.scheduleIfNotExists(
                TaskDescriptor.of("secret", Secret.class)
                        .instance("1")
                        .data(new Secret("x"))
                        .build(),
                LONG_AFTER);
        json.scheduleIfNotExists(
                TaskDescriptor.of("mail", Map.class)
                        .instance("json")
                        .data(Map.of("to", "b"))
                        .build(),
                LONG_AFTER);
        json.scheduleIfNotExists(TaskDescriptor.of("busy").instance("1").build(), LONG_AFTER);
        TestPostgres.execute(store, "update scheduled_tasks set picked = true where task_name = 'busy'");

        assertSays(
                imported("db-scheduler", store, "--dry-run"),
                "report/recurring: not imported",
                "its schedule is in the application's code: give --recurring",
                "its task_data contains " + Secret.class.getName() + ", which is not a supported data type",
                "is running now",
                "nothing was stored");
        TypedLine done = imported(
                "db-scheduler",
                store,
                "--apply",
                "--recurring",
                "report=0 4 * * *",
                "--zone",
                "UTC",
                "--map",
                "mail=send-mail");
        assertEquals(1, done.exitCode(), "the secret and the busy one stay behind");
        JsonNode mail = task("db-scheduler", "mail.4711");
        assertEquals("{\"to\":\"a@example.org\",\"copies\":2}", sorted(mail.path("data")));
        assertEquals("send-mail", mail.at("/handler/key").asText());
        assertEquals("2090-01-01T00:00:00.000Z", mail.path("nextFireTime").asText());
        assertEquals("RERUN", mail.path("orphan").asText());
        assertEquals("b", task("db-scheduler", "mail.json").at("/data/to").asText());
        assertEquals(
                "0 4 * * *", task("db-scheduler", "report").at("/schedule/cron").asText());
        assertExit(2, imported("db-scheduler", store, "--table", "x; drop"));
        assertTrue(imported("db-scheduler", store, "--table", "absent").err().contains("absent"));
    }

    /** The order of members is not part of a JSON object. */
    private static String sorted(JsonNode data) {
        return "{\"to\":" + data.path("to") + ",\"copies\":" + data.path("copies") + "}";
    }

    private static final class JsonSerializer implements Serializer {
        private final ObjectMapper mapper = new ObjectMapper();

        @Override
        public byte[] serialize(Object data) {
            try {
                return data == null ? null : mapper.writeValueAsBytes(data);
            } catch (IOException e) {
                throw new IllegalStateException(e);
            }
        }

        @Override
        public <T> T deserialize(Class<T> type, byte[] bytes) {
            throw new IllegalStateException("nothing is run here");
        }
    }

    @Test
    void recurring_and_waiting_jobs_of_jobrunr_become_tasks_with_their_parameters() {
        PGSimpleDataSource store = TestPostgres.emptyDatabase();
        PostgresStorageProvider provider = new PostgresStorageProvider(store);
        provider.setJobMapper(new org.jobrunr.jobs.mappers.JobMapper(new JacksonJsonMapper()));
        JobScheduler jobs =
                JobRunr.configure().useStorageProvider(provider).initialize().getJobScheduler();
        try {
            jobs.<Mail>scheduleRecurrently("tidy", "0 3 * * *", java.time.ZoneId.of("Europe/Berlin"), Mail::tidy);
            jobs.<Mail>scheduleRecurrently("often", Duration.ofMinutes(10), Mail::tidy);
            jobs.<Mail>schedule(LONG_AFTER, mail -> mail.send("a@example.org", 2, JobContext.Null));
            jobs.<Mail>enqueue(mail -> mail.send("now", 1, JobContext.Null));
        } finally {
            JobRunr.destroy();
        }
        TestPostgres.execute(
                store,
                "insert into jobrunr_jobs (id, version, jobasjson, jobsignature, state, createdat, updatedat)"
                        + " select 'ended', 1, jobasjson, jobsignature, 'SUCCEEDED', createdat, updatedat"
                        + " from jobrunr_jobs limit 1");

        TypedLine done = imported("jobrunr", store, "--apply", "--map", Mail.class.getName() + ".tidy=tidy");
        assertSays(done, "jobs in state SUCCEEDED: not imported: 1 jobs", "have ended", "JobContext is left out");
        assertExit(1, done);
        JsonNode tidy = task("jobrunr", "tidy");
        assertEquals("0 3 * * *", tidy.at("/schedule/cron").asText());
        assertEquals("Europe/Berlin", tidy.at("/schedule/zone").asText());
        assertEquals("tidy", tidy.at("/handler/key").asText());
        assertEquals("SKIP", tidy.path("overlap").asText());
        assertEquals("PT10M", task("jobrunr", "often").at("/schedule/every").asText());
        JsonNode all = api.get("/api/v1/tasks?app=jobrunr").body().path("items");
        assertEquals(4, all.size());
        for (JsonNode one : all) {
            JsonNode task = task("jobrunr", one.path("name").asText());
            if (task.at("/schedule/at").asText().startsWith("2090")) {
                assertEquals(
                        "[\"a@example.org\",2]", task.at("/data/parameters").toString());
                assertEquals(11, task.at("/retry/maxAttempts").asInt());
                assertEquals(
                        Mail.class.getName() + ".send", task.at("/handler/key").asText());
            }
        }
        TypedLine http = imported("jobrunr", store, "--http", "http://127.0.0.1:9/{job}", "-o", "json", "--dry-run");
        assertTrue(
                http.out().contains("http://127.0.0.1:9/" + Mail.class.getName().replace("$", "%24") + ".tidy"),
                http.out());
    }

    private static String compact(String json) {
        return json.replaceAll("\\s+", "");
    }

    @Test
    void a_row_that_no_task_can_express_has_a_reason_and_does_not_end_the_import() {
        PGSimpleDataSource store = TestPostgres.emptyDatabase();
        TestPostgres.execute(store, """
                create table scheduled_tasks (task_name text, task_instance text, task_data jsonb,
                  execution_time timestamp with time zone, picked int);
                insert into scheduled_tasks values
                  ('a', 'b.c', '{"copies": 2}', '2090-01-01 00:00Z', 0),
                  ('a.b', 'c', null, '2090-01-01 00:00Z', 0),
                  ('busy', '1', null, '2090-01-01 00:00Z', 1),
                  ('never', '1', null, null, 0)""");
        TypedLine shown = imported("db-scheduler", store, "--dry-run");
        assertSays(
                shown,
                "+ a/b.c",
                "becomes a.b.c, as a/b.c does",
                "is running now",
                "its column EXECUTION_TIME is empty",
                "nothing was stored");
        assertExit(1, shown);
    }

    @Test
    void schedules_and_retries_of_jobrunr_keep_their_meaning() {
        PGSimpleDataSource store = TestPostgres.emptyDatabase();
        TestPostgres.execute(store, """
                create table jobrunr_jobs (id text, jobasjson text, state text, recurringjobid text);
                create table jobrunr_recurring_jobs (id text, jobasjson text);
                insert into jobrunr_recurring_jobs select id, format('{"scheduleExpression":"%s","zoneId":"UTC",%s}', cron, more)
                from (values
                  ('either', '0 0 4 1 * MON', '"jobDetails":{"className":"A","methodName":"b"},"amountOfRetries":2'),
                  ('both', '0 4 */2 * MON', '"jobDetails":{"className":"A","methodName":"b"},"amountOfRetries":0'),
                  ('empty', '0 4 * * *', '"jobDetails":{}')) job (id, cron, more)""");
        TypedLine shown = imported("jobrunr", store, "-o", "json", "--dry-run");
        for (String part : List.of(
                "{\"cron\":\"0 0 4 1 * MON\",\"dialect\":\"UNIX\",\"zone\":\"UTC\"}",
                "{\"cron\":\"0 0 4 */2 * MON\",\"dialect\":\"SPRING\",\"zone\":\"UTC\"}",
                "\"maxAttempts\":3",
                "has no class or method in its JSON")) {
            assertTrue(compact(shown.out()).contains(compact(part)), part + " in\n" + shown.out() + shown.err());
        }
        assertEquals(shown.out().indexOf("maxAttempts"), shown.out().lastIndexOf("maxAttempts"), "one is not retried");
    }

    /** Times of the day in and beside the hour that the clocks of Berlin skip and repeat. */
    private static final List<String> AROUND_CHANGES = List.of(
            "30 2 * * *",
            "0 2 * * *",
            "0,30 2 * * *",
            "15,45 2 * * *",
            "30 2,3 * * *",
            "0 1-4 * * *",
            "0 */2 * * *",
            "0 0/2 * * *",
            "30 * * * *",
            "*/20 2 * * *",
            "30 2 * * 1-5",
            "30 4 * * *",
            "*/15 9-17 * * *",
            "30 1 * * *");

    private interface Source {
        Instant next(Instant after) throws Exception;
    }

    private interface SourceOf {
        Source of(String cron) throws Exception;
    }

    /** Compares a year of the source's own fire times with those of the imported schedule. */
    private static void assertCarriesClockChanges(
            String from, PGSimpleDataSource store, SourceOf sources, String... more) throws Exception {
        List<String> words = new ArrayList<>(List.of("--zone", "Europe/Berlin", "--dry-run"));
        words.addAll(Arrays.asList(more));
        String said = imported(from, store, words.toArray(String[]::new)).out();
        words.addAll(List.of("-o", "json"));
        JsonNode document = new ObjectMapper()
                .readTree(imported(from, store, words.toArray(String[]::new)).out());
        assertTrue(document.get("notes").findValuesAsText("note").toString().contains("the clock repeats"), said);
        JsonNode tasks = document.get("tasks");
        assertEquals(AROUND_CHANGES.size(), tasks.size(), said);
        for (int i = 0; i < tasks.size(); i++) {
            String cron = AROUND_CHANGES.get(i);
            Schedule schedule = Schedules.parse(tasks.get(i).get("schedule"), Window.from(0), "app/name");
            Source source = sources.of(cron);
            List<Instant> theirs = new ArrayList<>();
            List<Instant> ours = new ArrayList<>();
            Instant end = Instant.parse("2027-01-01T00:00:00Z");
            for (Instant at = source.next(Instant.parse("2026-01-01T00:00:00Z"));
                    at.isBefore(end);
                    at = source.next(at)) {
                theirs.add(at);
            }
            for (Instant at = Instant.parse("2026-01-01T00:00:00Z"); at.isBefore(end); ) {
                at = Instant.ofEpochMilli(schedule.next(at.toEpochMilli()));
                ours.add(at);
            }
            ours.remove(ours.size() - 1);
            String row = "/" + tasks.get(i).get("name").textValue() + ",";
            boolean hasNote = said.substring(said.indexOf(row))
                    .lines()
                    .skip(1)
                    .takeWhile(line -> line.startsWith("    "))
                    .anyMatch(line -> line.contains("a time that the clock"));
            Set<Instant> different = new TreeSet<>(theirs);
            different.removeAll(ours);
            ours.stream().filter(at -> !theirs.contains(at)).forEach(different::add);
            assertTrue(different.isEmpty() || hasNote, from + " " + cron + ": " + different + "\n" + said);
            boolean isTouched = !cron.matches(".* (4|9-17|1) .*");
            assertTrue(isTouched || !hasNote, from + " " + cron + " has no time that a clock change touches\n" + said);
        }
    }

    @Test
    void schedules_of_db_scheduler_fire_at_clock_changes_as_before_or_the_row_says_otherwise() throws Exception {
        PGSimpleDataSource store = TestPostgres.emptyDatabase();
        TestPostgres.execute(store, """
                create table scheduled_tasks (task_name text, task_instance text, task_data bytea,
                  execution_time timestamptz, picked boolean, consecutive_failures int, priority smallint)""");
        List<String> recurring = new ArrayList<>();
        for (int i = 0; i < AROUND_CHANGES.size(); i++) {
            String name = "c%s".formatted(10 + i);
            TestPostgres.execute(
                    store,
                    "insert into scheduled_tasks values ('" + name
                            + "', 'recurring', null, '2090-01-01Z', false, 0, 50)");
            recurring.addAll(List.of("--recurring", name + "=0 " + AROUND_CHANGES.get(i)));
        }
        assertCarriesClockChanges(
                "db-scheduler",
                store,
                cron -> {
                    CronSchedule schedule = new CronSchedule("0 " + cron, ZoneId.of("Europe/Berlin"));
                    return after -> schedule.getNextExecutionTime(ExecutionComplete.simulatedSuccess(after));
                },
                recurring.toArray(String[]::new));
    }

    @Test
    void schedules_of_jobrunr_fire_at_clock_changes_as_before_or_the_row_says_otherwise() throws Exception {
        PGSimpleDataSource store = TestPostgres.emptyDatabase();
        TestPostgres.execute(
                store,
                "create table jobrunr_jobs (id text, jobasjson text, state text, recurringjobid text);"
                        + " create table jobrunr_recurring_jobs (id text, jobasjson text)");
        for (int i = 0; i < AROUND_CHANGES.size(); i++) {
            TestPostgres.execute(
                    store,
                    "insert into jobrunr_recurring_jobs values ('c" + (10 + i) + "', '{\"scheduleExpression\":\""
                            + AROUND_CHANGES.get(i)
                            + "\",\"jobDetails\":{\"className\":\"A\",\"methodName\":\"b\"}}')");
        }
        assertCarriesClockChanges("jobrunr", store, cron -> {
            CronExpression expression = new CronExpression(cron);
            return after -> expression.next(after.minusSeconds(1), after, ZoneId.of("Europe/Berlin"));
        });
    }

    @Test
    void schedules_of_quartz_fire_at_clock_changes_as_before_or_the_row_says_otherwise() throws Exception {
        PGSimpleDataSource store = TestPostgres.emptyDatabase();
        try (InputStream tables = Job.class.getResourceAsStream("/org/quartz/impl/jdbcjobstore/tables_postgres.sql")) {
            TestPostgres.execute(store, new String(tables.readAllBytes(), StandardCharsets.UTF_8));
        }
        TestPostgres.execute(store, """
                insert into qrtz_job_details (sched_name, job_name, job_group, job_class_name, is_durable, is_nonconcurrent,
                  is_update_data, requests_recovery) values ('s', 'j', 'g', 'a.B', false, false, false, false)""");
        for (int i = 0; i < AROUND_CHANGES.size(); i++) {
            String key = "'s', 'c" + (10 + i) + "', 'g'";
            TestPostgres.execute(
                    store,
                    "insert into qrtz_triggers (sched_name, trigger_name, trigger_group, job_name, job_group, trigger_state,"
                            + " trigger_type, start_time, next_fire_time, misfire_instr, priority) values (" + key
                            + ", 'j', 'g', 'WAITING', 'CRON', 0, 1, 0, 5)");
            TestPostgres.execute(
                    store,
                    "insert into qrtz_cron_triggers (sched_name, trigger_name, trigger_group, cron_expression,"
                            + " time_zone_id) values (" + key + ", '" + ofQuartz(AROUND_CHANGES.get(i))
                            + "', 'Europe/Berlin')");
        }
        assertCarriesClockChanges("quartz", store, cron -> {
            org.quartz.CronExpression expression = new org.quartz.CronExpression(ofQuartz(cron));
            expression.setTimeZone(TimeZone.getTimeZone("Europe/Berlin"));
            return after -> expression.getNextValidTimeAfter(Date.from(after)).toInstant();
        });
    }

    /** Quartz counts the days of the week from 1, and one of the day fields must be open. */
    private static String ofQuartz(String cron) {
        return "0 " + (cron.endsWith("1-5") ? cron.replace("* * 1-5", "? * 2-6") : cron.replaceAll("\\*$", "?"));
    }
}
