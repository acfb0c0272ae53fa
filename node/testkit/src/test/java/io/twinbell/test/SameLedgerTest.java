package io.twinbell.test;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.twinbell.Tasks;
import io.twinbell.Twinbell;
import io.twinbell.handler.TaskHandler;
import io.twinbell.persistence.testing.TestPostgres;
import io.twinbell.persistence.testing.TestTasks;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.apache.curator.test.TestingServer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.postgresql.ds.PGSimpleDataSource;

/** The same tasks on a real node with a real database, in real time, and in virtual time: the ledgers are equal. */
@Timeout(300)
class SameLedgerTest {
    private static final String APP = "same";
    private static final Duration LONG_RUN = Duration.ofSeconds(3);
    /** What a slow machine may take to store the tasks before they begin. */
    private static final Duration LEAD = Duration.ofSeconds(5);

    private static final String LEDGER = "select name || ' ' || case when origin is null"
            + " then to_char(fire_time at time zone 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS.MS') else origin end || ' ' || state || ' '"
            + " || attempt || ' ' || slots || ' ' || coalesce(reason, '') from twinbell.execution";

    private final PGSimpleDataSource database = TestPostgres.freshDatabase();
    private final TestTasks sql = new TestTasks(database);

    @Test
    void a_real_node_and_virtual_time_write_the_same_ledger() throws Exception {
        try (TestingServer zooKeeper = new TestingServer()) {
            Instant start;
            Instant down;
            try (Twinbell node = start("a", zooKeeper)) {
                start = now().truncatedTo(ChronoUnit.SECONDS).plus(LEAD);
                put(node.tasks(), firing(start));
                await(start.plusSeconds(9));
                node.tasks().remove(APP, "removed");
                awaitEnds();
                down = now().truncatedTo(ChronoUnit.SECONDS).plus(LEAD);
                put(node.tasks(), misfiring(down));
            }
            assertTrue(now().isBefore(down), "the node stops before the tasks begin");
            await(down.plusSeconds(6));
            try (Twinbell node = start("b", zooKeeper)) {
                awaitEnds();
                assertEquals(
                        String.join("\n", virtual(start, down)),
                        String.join("\n", sql.query(LEDGER).stream().sorted().toList()));
                assertEquals(
                        "PAUSED",
                        node.tasks().find(APP, "failing").orElseThrow().state());
            }
        }
    }

    /** Tasks that fire within 8 s from the start, by every kind of schedule and policy that has sharp instants. */
    private static Map<String, String> firing(Instant start) {
        String every = "{\"every\":\"PT1S\"}";
        String until = ",\"start\":\"" + start + "\",\"end\":\"" + start.plusSeconds(5) + "\"";
        Map<String, String> tasks = new LinkedHashMap<>();
        tasks.put("half-seconds", task("{\"every\":\"PT0.5S\"}", "ok", until));
        tasks.put("aligned", task("{\"every\":\"PT2S\",\"align\":\"PT2S\"}", "ok", until));
        tasks.put(
                "cron",
                task("{\"cron\":\"* * * * * ?\",\"dialect\":\"QUARTZ\",\"zone\":\"Europe/Berlin\"}", "ok", until));
        tasks.put(
                "rule",
                task(
                        "{\"rrule\":\"FREQ=SECONDLY;INTERVAL=2;COUNT=3\",\"dtstart\":\""
                                + start.toString().replace("Z", "") + "\",\"zone\":\"UTC\"}",
                        "ok",
                        until));
        tasks.put("once", task("{\"at\":\"" + start.plusMillis(1200) + "\"}", "ok", ""));
        tasks.put("later", task("{\"in\":\"PT2S\"}", "ok", ",\"start\":\"" + start + "\""));
        tasks.put("jittered", task(every, "ok", until + ",\"jitter\":\"PT0.4S\""));
        tasks.put("three-runs", task(every, "ok", until + ",\"maxRuns\":3"));
        tasks.put(
                "retried",
                task(
                        "{\"at\":\"" + start + "\"}",
                        "flaky",
                        ",\"retry\":{\"maxAttempts\":3,\"backoff\":\"PT0.1S\",\"jitter\":0}"));
        tasks.put(
                "exhausted",
                task(
                        "{\"at\":\"" + start + "\"}",
                        "broken",
                        ",\"retry\":{\"maxAttempts\":2,\"backoff\":\"PT0.1S\",\"jitter\":0}"));
        tasks.put("failing", task("{\"every\":\"PT2S\"}", "broken", until + ",\"pauseOnFailure\":2"));
        tasks.put("skipping", task("{\"every\":\"PT2S\"}", "long", until + ",\"maxRuns\":3"));
        tasks.put("queueing", task("{\"every\":\"PT2S\"}", "long", until + ",\"overlap\":\"QUEUE\",\"maxRuns\":2"));
        tasks.put("overlapping", task("{\"every\":\"PT2S\"}", "long", until + ",\"overlap\":\"ALLOW\",\"maxRuns\":2"));
        tasks.put(
                "replacing",
                task("{\"every\":\"PT2S\"}", "long", until + ",\"overlap\":\"CANCEL_RUNNING\",\"maxRuns\":2"));
        tasks.put("timed-out", task("{\"at\":\"" + start + "\"}", "long", ",\"timeout\":\"PT1S\""));
        tasks.put("after", task("{\"in\":\"P9D\"}", "ok", ""));
        tasks.put("before", task("{\"at\":\"" + start + "\"}", "ok", ",\"then\":[{\"name\":\"after\"}]"));
        tasks.put("after-failure", task("{\"in\":\"P9D\"}", "ok", ",\"enabled\":false"));
        tasks.put(
                "before-failure",
                task("{\"at\":\"" + start + "\"}", "broken", ",\"thenOnFailure\":[{\"name\":\"after-failure\"}]"));
        tasks.put("disabled", task(every, "ok", until + ",\"enabled\":false"));
        tasks.put("removed", task("{\"in\":\"P9D\"}", "ok", ""));
        return tasks;
    }

    /** Tasks that come due while no node runs. */
    private static Map<String, String> misfiring(Instant start) {
        String until = ",\"start\":\"" + start + "\",\"end\":\"" + start.plusMillis(2100) + "\",\"misfire\":";
        Map<String, String> tasks = new LinkedHashMap<>();
        for (String policy : List.of("FIRE_ONCE", "SKIP", "FIRE_ALL")) {
            String misfire = "{\"policy\":\"" + policy + "\",\"threshold\":\"PT1S\"";
            String max = policy.equals("FIRE_ALL") ? ",\"max\":3" : "";
            tasks.put("missed-" + policy, task("{\"every\":\"PT0.5S\"}", "ok", until + misfire + max + "}"));
        }
        tasks.put(
                "missed-once",
                task("{\"at\":\"" + start + "\"}", "ok", ",\"misfire\":{\"policy\":\"SKIP\",\"threshold\":\"PT1S\"}"));
        tasks.put(
                "within", task("{\"every\":\"PT0.5S\"}", "ok", until + "{\"policy\":\"SKIP\",\"threshold\":\"PT1H\"}"));
        return tasks;
    }

    private static String task(String schedule, String handler, String more) {
        return "{\"schedule\":" + schedule + ",\"handler\":{\"type\":\"java\",\"key\":\"" + handler + "\"}" + more
                + "}";
    }

    private static void put(Tasks tasks, Map<String, String> jsonByName) {
        jsonByName.forEach((name, json) -> tasks.put(APP, name, json));
    }

    private static Twinbell.Builder handlers(TaskHandler longRun) {
        return Twinbell.builder()
                .handler("ok", context -> "done")
                .handler("flaky", FailingHandler.attempts(2, context -> "done"))
                .handler("broken", FailingHandler.always())
                .handler("long", longRun);
    }

    private List<String> virtual(Instant start, Instant down) {
        try (TestScheduler scheduler = TestScheduler.builder(handlers(context -> "done"))
                .takes("long", LONG_RUN)
                .startingAt(start.minus(LEAD))
                .start()) {
            put(scheduler.tasks(), firing(start));
            scheduler.clock().advanceTo(start.plusSeconds(9));
            scheduler.tasks().remove(APP, "removed");
            scheduler.clock().advanceTo(down.minus(LEAD));
            put(scheduler.tasks(), misfiring(down));
            scheduler.nodeDown(LEAD.plusSeconds(6));
            scheduler.clock().advance(Duration.ofSeconds(5));
            List<String> ledger = new ArrayList<>();
            List<String> names = new ArrayList<>(firing(start).keySet());
            names.addAll(misfiring(down).keySet());
            for (String name : names) {
                scheduler
                        .executions(APP, name)
                        .forEach(row -> ledger.add(name + " " + place(row) + " " + row.state() + " " + row.attempt()
                                + " " + row.slots() + " " + (row.reason() == null ? "" : row.reason())));
            }
            return ledger.stream().sorted().toList();
        }
    }

    private static String place(TestExecution row) {
        return row.origin() == null
                ? row.fireTime().plusNanos(1).toString().substring(0, "2026-01-01T00:00:00.000".length())
                : row.origin();
    }

    private Twinbell start(String id, TestingServer zooKeeper) {
        Twinbell node = handlers(context -> {
                    awaitInterruptibly(LONG_RUN);
                    return "done";
                })
                .set("node.id", id)
                .set("http.enabled", "false")
                .set("jmx.enabled", "false")
                .set("database.url", database.getUrl())
                .set("database.user", database.getUser())
                .set("database.password", database.getPassword() == null ? "" : database.getPassword())
                .set("zookeeper.connect", zooKeeper.getConnectString())
                .start();
        assertTrue(
                node.awaitJoined(Duration.ofMinutes(1)),
                () -> node.joinObstacle().orElse(""));
        until(() -> node.role().equals("MASTER"));
        return node;
    }

    private void awaitEnds() {
        until(() -> sql.number("select count(*) from twinbell.execution where state in"
                                + " ('PENDING', 'CLAIMED', 'RUNNING', 'RETRYING')")
                        == 0
                && sql.number(
                                "select count(*) from twinbell.task_state where state = 'ACTIVE' and next_fire_time < now()")
                        == 0);
    }

    private Instant now() {
        return Instant.ofEpochMilli(sql.number("select twinbell.now_millis()"));
    }

    private void await(Instant instant) {
        until(() -> now().isAfter(instant));
    }

    private static void until(BooleanSupplier condition) {
        while (!condition.getAsBoolean()) {
            LockSupport.parkNanos(Duration.ofMillis(10).toNanos());
        }
    }

    /** Ends early when its run is cancelled. */
    private static void awaitInterruptibly(Duration duration) throws InterruptedException {
        new CountDownLatch(1).await(duration.toMillis(), TimeUnit.MILLISECONDS);
    }
}
