package io.twinbell.daemon;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.twinbell.persistence.testing.SqlTaskRole;
import io.twinbell.persistence.testing.TestPostgres;
import io.twinbell.persistence.testing.TestTasks;
import java.io.File;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.apache.curator.test.InstanceSpec;
import org.apache.curator.test.TestingServer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.postgresql.ds.PGSimpleDataSource;

/** Two nodes in processes of their own; the master is killed with -9 in the middle of sql tasks, again and again. */
@Tag("thorough")
@Timeout(600)
class SqlKillTest {
    private static final int KILLS = 2;
    /** Long, because builds share their machines. */
    private static final Duration PATIENCE = Duration.ofSeconds(150);

    private final PGSimpleDataSource database = TestPostgres.freshDatabase();
    private final TestTasks tasks = new TestTasks(database);
    private final List<Process> processes = new ArrayList<>();

    @AfterEach
    void endProcesses() {
        processes.forEach(Process::destroyForcibly);
    }

    @Test
    void a_counter_equals_the_slots_that_succeeded_through_every_kill() throws Exception {
        try (TestingServer zooKeeper = new TestingServer(new InstanceSpec(null, -1, -1, -1, true, -1, 100, -1), true)) {
            Process[] nodes = {start("a", zooKeeper), start("b", zooKeeper)};
            String[] ids = {"a", "b"};
            await().atMost(PATIENCE).until(() -> !owner().isEmpty());
            tasks.execute(SqlTaskRole.CREATE);
            tasks.execute("create table counter (n bigint); insert into counter values (0);"
                    + " create table effect (slot text, attempt int); grant all on counter, effect to "
                    + SqlTaskRole.NAME);
            IntStream.range(0, 10).forEach(i -> insert("t" + i));
            for (int kill = 0; kill < KILLS; kill++) {
                long before = succeeded();
                await().atMost(PATIENCE).until(() -> succeeded() > before + 400);
                int master = owner().equals("a") ? 0 : 1;
                nodes[master].destroyForcibly().waitFor();
                nodes[master] = start(ids[master], zooKeeper);
            }
            long afterKills = succeeded();
            await().atMost(PATIENCE).until(() -> succeeded() > afterKills + 400);
            tasks.execute("update twinbell.task_state set state = 'PAUSED', version = version + 1");
            tasks.query("select pg_notify('twinbell_task', id::text) from twinbell.task");
            await().atMost(PATIENCE)
                    .until(() -> tasks.number("select count(*) from twinbell.execution where state in"
                                    + " ('PENDING', 'CLAIMED', 'RUNNING', 'RETRYING')")
                            == 0);
        }
        assertEquals(succeeded(), tasks.number("select n from counter"), "each success counted once");
        assertEquals(
                List.of(),
                tasks.query("select slot from effect group by slot having count(*) > 1"),
                "no slot took effect twice");
        assertEquals(
                0,
                tasks.number("select count(*) from effect f where not exists (select 1 from twinbell.execution e where"
                        + " e.state = 'SUCCEEDED' and e.attempt = f.attempt and f.slot = e.task_id || '/'"
                        + " || to_char(e.fire_time at time zone 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS.MS\"Z\"'))"),
                "no effect without its success");
        assertTrue(tasks.number("select max(attempt) from twinbell.execution") > 1, "a kill met work under way");
    }

    private Process start(String id, TestingServer zooKeeper) throws Exception {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                System.getProperty("java.class.path"),
                NodeMain.class.getName()));
        for (String set : List.of(
                "node.id=" + id,
                "http.port=0",
                "jmx.port=0",
                "database.url=" + database.getUrl(),
                "database.user=" + database.getUser(),
                "database.password=" + database.getPassword(),
                "zookeeper.connect=" + zooKeeper.getConnectString(),
                "zookeeper.sessionTimeout=PT6S",
                "handlers.sql.enabled=true",
                "handlers.sql.user=" + SqlTaskRole.NAME,
                "handlers.sql.password=" + SqlTaskRole.PASSWORD)) {
            command.add("--set");
            command.add(set);
        }
        File log = Path.of("target", "sql-kill-" + id + ".log").toFile();
        Process process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(log))
                .start();
        processes.add(process);
        return process;
    }

    private String owner() {
        List<String> owner = tasks.query("select coalesce(node, '') from twinbell.epoch where resigned_at is null");
        return owner.isEmpty() ? "" : owner.get(0);
    }

    private long succeeded() {
        return tasks.number("select count(*) from twinbell.execution where state = 'SUCCEEDED'");
    }

    /** Inserts a task that fires every 50 ms. Each run takes so long that a kill hits some of them. */
    private void insert(String name) {
        long now = tasks.number("select twinbell.now_millis()");
        String definition = "{\"schedule\":{\"every\":\"PT0.05S\"},\"start\":\"2026-01-05T00:00:00.000Z\","
                + "\"overlap\":\"ALLOW\",\"orphan\":\"RERUN\",\"handler\":{\"type\":\"sql\",\"statement\":["
                + "\"insert into effect values (:slot, :attempt)\","
                + "\"select pg_sleep(0.01)\","
                + "\"update counter set n = n + 1\"]}}";
        long id = tasks.insert(name, definition, now / 50 * 50 + 50);
        tasks.query("select pg_notify('twinbell_task', '" + id + "')");
    }
}
