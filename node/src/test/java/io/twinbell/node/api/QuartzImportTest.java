package io.twinbell.node.api;

import static io.twinbell.node.api.TypedLine.assertExit;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import io.twinbell.persistence.testing.TestPostgres;
import java.io.InputStream;
import java.io.Serializable;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Date;
import java.util.List;
import java.util.Properties;
import java.util.TimeZone;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.postgresql.ds.PGSimpleDataSource;
import org.quartz.CalendarIntervalScheduleBuilder;
import org.quartz.CronScheduleBuilder;
import org.quartz.DailyTimeIntervalScheduleBuilder;
import org.quartz.DisallowConcurrentExecution;
import org.quartz.Job;
import org.quartz.JobBuilder;
import org.quartz.JobDetail;
import org.quartz.JobExecutionContext;
import org.quartz.ScheduleBuilder;
import org.quartz.Scheduler;
import org.quartz.SimpleScheduleBuilder;
import org.quartz.Trigger;
import org.quartz.TriggerBuilder;
import org.quartz.TriggerKey;
import org.quartz.impl.StdSchedulerFactory;
import org.quartz.impl.calendar.CronCalendar;
import org.quartz.impl.calendar.HolidayCalendar;
import org.quartz.impl.calendar.WeeklyCalendar;
import org.quartz.utils.ConnectionProvider;
import org.quartz.utils.DBConnectionManager;

/** Imports a store that Quartz itself has written. */
class QuartzImportTest {
    private static final PGSimpleDataSource QUARTZ = TestPostgres.freshDatabase();
    private static final Date LONG_AFTER = Date.from(Instant.parse("2090-01-01T00:00:00Z"));

    private static ApiFixture api;

    /** Runs beside itself. */
    public static class Report implements Job {
        @Override
        public void execute(JobExecutionContext context) {
            throw new IllegalStateException("nothing is run here");
        }
    }

    /** Runs once at a time. */
    @DisallowConcurrentExecution
    public static class Close extends Report {}

    /** What no reader but its own code understands. */
    public record Secret(String value) implements Serializable {}

    @BeforeAll
    static void fill() throws Exception {
        api = new ApiFixture();
        try (Connection connection = QUARTZ.getConnection();
                Statement statement = connection.createStatement();
                InputStream tables =
                        Job.class.getResourceAsStream("/org/quartz/impl/jdbcjobstore/tables_postgres.sql")) {
            statement.execute(new String(tables.readAllBytes(), StandardCharsets.UTF_8));
        }
        Scheduler quartz = quartz();
        try {
            schedule(quartz);
        } finally {
            quartz.shutdown();
        }
    }

    @AfterAll
    static void stop() {
        api.close();
    }

    private static Scheduler quartz() throws Exception {
        DBConnectionManager.getInstance().addConnectionProvider("store", new ConnectionProvider() {
            @Override
            public Connection getConnection() throws java.sql.SQLException {
                return QUARTZ.getConnection();
            }

            @Override
            public void shutdown() {
                // The database is the test's.
            }

            @Override
            public void initialize() {
                // Nothing is pooled.
            }
        });
        Properties settings = new Properties();
        settings.setProperty("org.quartz.scheduler.instanceName", "shop");
        settings.setProperty("org.quartz.scheduler.skipUpdateCheck", "true");
        settings.setProperty("org.quartz.threadPool.threadCount", "1");
        settings.setProperty("org.quartz.jobStore.class", "org.quartz.impl.jdbcjobstore.JobStoreTX");
        settings.setProperty(
                "org.quartz.jobStore.driverDelegateClass", "org.quartz.impl.jdbcjobstore.PostgreSQLDelegate");
        settings.setProperty("org.quartz.jobStore.dataSource", "store");
        return new StdSchedulerFactory(settings).getScheduler();
    }

    private static void schedule(Scheduler quartz) throws Exception {
        TimeZone berlin = TimeZone.getTimeZone("Europe/Berlin");
        HolidayCalendar holidays = new HolidayCalendar(new WeeklyCalendar());
        holidays.setTimeZone(berlin);
        holidays.addExcludedDate(Date.from(Instant.parse("2026-12-24T23:00:00Z")));
        quartz.addCalendar("holidays", holidays, true, true);
        quartz.addCalendar("odd", new CronCalendar("* * 0-7 ? * *"), true, true);

        JobDetail close = JobBuilder.newJob(Close.class)
                .withIdentity("close", "billing")
                .withDescription("closes")
                .usingJobData("region", "eu")
                .usingJobData("limit", 7L)
                .usingJobData("strict", true)
                .requestRecovery()
                .build();
        quartz.scheduleJob(
                close,
                trigger(
                                "nightly",
                                CronScheduleBuilder.cronSchedule("0 30 2 ? * MON-FRI")
                                        .inTimeZone(berlin)
                                        .withMisfireHandlingInstructionDoNothing())
                        .modifiedByCalendar("holidays")
                        .usingJobData("region", "us")
                        .withPriority(12)
                        .endAt(LONG_AFTER)
                        .build());
        add(quartz, "close", "billing", "hourly", SimpleScheduleBuilder.repeatHourlyForever());
        JobDetail report =
                JobBuilder.newJob(Report.class).withIdentity("report").build();
        quartz.scheduleJob(
                report,
                trigger("tenTimes", SimpleScheduleBuilder.repeatMinutelyForTotalCount(10))
                        .build());
        Trigger once = TriggerBuilder.newTrigger()
                .withIdentity("once")
                .startAt(LONG_AFTER)
                .forJob("report")
                .build();
        quartz.scheduleJob(once);
        add(
                quartz,
                "report",
                "DEFAULT",
                "daily",
                CalendarIntervalScheduleBuilder.calendarIntervalSchedule()
                        .withIntervalInDays(1)
                        .inTimeZone(berlin));
        add(
                quartz,
                "report",
                "DEFAULT",
                "fortnight",
                CalendarIntervalScheduleBuilder.calendarIntervalSchedule().withIntervalInWeeks(2));
        add(
                quartz,
                "report",
                "DEFAULT",
                "shopHours",
                DailyTimeIntervalScheduleBuilder.dailyTimeIntervalSchedule().withIntervalInMinutes(7));
        quartz.scheduleJob(trigger("oddly", SimpleScheduleBuilder.repeatHourlyForever())
                .forJob("report")
                .modifiedByCalendar("odd")
                .build());
        add(
                quartz,
                "report",
                "DEFAULT",
                "paused",
                CronScheduleBuilder.cronSchedule("0 0 12 * * ?").withMisfireHandlingInstructionIgnoreMisfires());
        quartz.pauseTrigger(TriggerKey.triggerKey("paused"));
        JobDetail durable = JobBuilder.newJob(Report.class)
                .withIdentity("byHand")
                .storeDurably()
                .build();
        quartz.addJob(durable, true);
        JobDetail opaque =
                JobBuilder.newJob(Report.class).withIdentity("opaque").build();
        opaque.getJobDataMap().put("secret", new Secret("x"));
        quartz.scheduleJob(
                opaque,
                trigger("opaque", SimpleScheduleBuilder.repeatHourlyForever()).build());
    }

    private static <T extends Trigger> TriggerBuilder<T> trigger(String name, ScheduleBuilder<T> schedule) {
        return TriggerBuilder.newTrigger().withIdentity(name).withSchedule(schedule);
    }

    private static void add(Scheduler quartz, String job, String group, String name, ScheduleBuilder<?> schedule)
            throws Exception {
        quartz.scheduleJob(trigger(name, schedule).forJob(job, group).build());
    }

    private static TypedLine imported(String... more) {
        List<String> words = new ArrayList<>(List.of(
                "import", "quartz", QUARTZ.getURL(), "--user", QUARTZ.getUser(), "--app", "shop", "--zone", "UTC"));
        words.addAll(Arrays.asList(more));
        return TypedLine.at(api.url(), words.toArray(String[]::new));
    }

    private static JsonNode task(String name) {
        return api.get("/api/v1/apps/shop/tasks/" + name).body();
    }

    @Test
    void triggers_become_tasks_with_what_their_jobs_say_and_the_rest_has_a_reason() {
        TypedLine shown = imported("--dry-run");
        assertExit(1, shown);
        for (String reason : new String[] {
            "trigger shopHours: not imported: DAILY_I",
            "its calendar odd contains org.quartz.impl.calendar.CronCalendar, which has no equivalent in Twinbell",
            "its job data contains " + Secret.class.getName() + ", which is not a supported data type",
            "priority 12 is 9 here",
            "its description is not imported: closes",
            "nothing was stored"
        }) {
            assertTrue(shown.out().contains(reason), reason + " in\n" + shown.out());
        }
        assertEquals(0, api.get("/api/v1/tasks?app=shop").body().path("items").size());

        TypedLine done = imported("--apply", "--map", Close.class.getName() + "=close");
        assertExit(1, done);
        JsonNode nightly = task("nightly");
        assertEquals(
                "{\"cron\":\"0 30 2 ? * MON-FRI\",\"zone\":\"Europe/Berlin\",\"dstGap\":\"SKIP\",\"dialect\":\"QUARTZ\"}",
                nightly.path("schedule").toString());
        assertEquals(
                "{\"key\":\"close\",\"type\":\"java\"}", nightly.path("handler").toString());
        assertEquals("us", nightly.at("/data/region").asText());
        assertEquals(7, nightly.at("/data/limit").asInt());
        assertTrue(nightly.at("/data/strict").asBoolean());
        assertEquals("SKIP", nightly.at("/misfire/policy").asText());
        assertEquals("PT1M", nightly.at("/misfire/threshold").asText());
        assertEquals("RERUN", nightly.path("orphan").asText());
        assertEquals("QUEUE", nightly.path("overlap").asText());
        assertEquals(9, nightly.path("priority").asInt());
        assertEquals("2090-01-01T00:00:00.000Z", nightly.path("end").asText());
        assertEquals("[\"holidays\",\"holidays-2\"]", nightly.path("calendars").toString());
        assertEquals("quartz.billing.close", nightly.path("concurrencyKey").asText());
        assertEquals(1, api.get("/api/v1/limits/quartz.billing.close").number("/maxRunning"));
        JsonNode holidays = api.get("/api/v1/calendars/holidays").body();
        assertEquals("[\"2026-12-25\"]", holidays.path("dates").toString());
        assertEquals("Europe/Berlin", holidays.path("zone").asText());
        assertEquals(
                "[{\"to\":\"24:00\",\"days\":[\"SAT\",\"SUN\"],\"from\":\"00:00\"}]",
                api.get("/api/v1/calendars/holidays-2").body().path("weekly").toString());
        assertEquals("PT1H", task("hourly").at("/schedule/every").asText());
        assertEquals("SKIP", task("hourly").at("/misfire/policy").asText());
        assertEquals(10, task("tenTimes").path("maxRuns").asInt());
        assertEquals("FIRE_ONCE", task("tenTimes").at("/misfire/policy").asText());
        assertEquals("2090-01-01T00:00:00.000Z", task("once").at("/schedule/at").asText());
        assertEquals("FREQ=DAILY", task("daily").at("/schedule/rrule").asText());
        assertEquals(
                "FREQ=WEEKLY;INTERVAL=2",
                task("fortnight").at("/schedule/rrule").asText());
        assertEquals("PAUSED", task("paused").path("state").asText());
        assertEquals("FIRE_ALL", task("paused").at("/misfire/policy").asText());
        assertEquals(
                "2199-01-01T00:00:00.000Z", task("byHand").path("nextFireTime").asText());
        assertEquals("ALLOW", task("byHand").path("overlap").asText());
        assertTrue(imported("--apply", "--map", Close.class.getName() + "=close")
                .out()
                .contains(" unchanged"));
    }

    @Test
    void a_store_that_cannot_be_read_says_why() {
        assertTrue(imported("--table-prefix", "NO_").err().contains("no_job_details"));
        assertExit(2, imported("--table-prefix", "x; drop"));
        assertExit(2, imported("--scheduler"));
        TypedLine http = imported("--http", "http://127.0.0.1:9/{group}/{job}", "-o", "json");
        assertFalse(http.out().isEmpty(), http.err());
        assertTrue(http.out().contains("http://127.0.0.1:9/billing/close"), http.out());
        assertTrue(http.out().contains("\"body\":\"${data}\""), http.out());
    }
}
