package io.twinbell.node.pair;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.twinbell.ha.role.Role;
import io.twinbell.handler.TaskHandler;
import io.twinbell.node.config.NodeConfig;
import io.twinbell.node.handler.config.HandlerConfig;
import io.twinbell.persistence.database.WrongSchemaException;
import io.twinbell.persistence.testing.TestPostgres;
import io.twinbell.persistence.testing.TestTasks;
import io.twinbell.persistence.testing.TestZooKeeper;
import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import javax.management.MBeanServerFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.postgresql.ds.PGSimpleDataSource;

/** This build and its successor, which has one more migration, in one pair. */
@Timeout(90)
class RollingUpgradeTest {
    private static final String NEXT = "1000";
    /** The default policy would record late slots as missed. */
    private static final String FIRE_ALL = "\"misfire\":{\"policy\":\"FIRE_ALL\"},";

    /**
     * Adds to every table that a master writes while it fires, in each way that a migration may: columns, indexes,
     * tables, checks of present columns, further values of a check, statement triggers, a replaced function, and the
     * removal of a right that no node uses.
     */
    private static final String ADDITIVE = """
            alter table twinbell.task add column next_text text not null default 'x';
            alter table twinbell.task_state add column next_number bigint;
            alter table twinbell.execution add column next_text text;
            create index next_index on twinbell.task_state (next_number);
            create table twinbell.next_table (id bigint primary key);
            alter table twinbell.task_state add constraint next_check check (isfinite(next_fire_time)) not valid;
            alter table twinbell.execution
              add constraint next_check check (isfinite(fire_time) and app <> '' and attempt > 0) not valid;
            alter table twinbell.execution drop constraint execution_origin_check;
            alter table twinbell.execution add constraint execution_origin_check
              check (origin in ('TRIGGERED', 'CHAINED', 'BACKFILLED', 'CAUGHT_UP', 'NEXT')) not valid;
            create table twinbell.next_count (rows bigint not null);
            create function twinbell.count_next() returns trigger language plpgsql security definer
              set search_path = pg_catalog, pg_temp as $$
            begin
              insert into twinbell.next_count select count(*) from changed;
              return null;
            end $$;
            revoke all on function twinbell.count_next() from public;
            create trigger next_added after insert on twinbell.task referencing new table as changed
              for each statement execute function twinbell.count_next();
            create trigger next_changed after update on twinbell.task referencing new table as changed
              for each statement execute function twinbell.count_next();
            create or replace function twinbell.line_problem(field text, line text) returns text
              language sql immutable parallel safe as $$
              select case when line is null then field || ' is required by the next build' end
            $$;
            """;

    @TempDir
    private Path extra;

    private final PGSimpleDataSource database = TestPostgres.freshDatabase();
    private final String zooKeeper = TestZooKeeper.freshFolder();
    private final TestTasks tasks = new TestTasks(database);
    private final ConcurrentLinkedQueue<String> calls = new ConcurrentLinkedQueue<>();
    private final Deque<SchedulerNode> nodes = new ArrayDeque<>();

    @AfterEach
    void stopNodes() {
        nodes.forEach(SchedulerNode::close);
    }

    @Test
    void a_pair_is_upgraded_node_by_node_under_load_and_either_build_is_master_meanwhile() throws Exception {
        SchedulerNode oldA = master("a");
        SchedulerNode oldB = standby("b");
        IntStream.range(0, 10).forEach(i -> insert("t" + i, i % 2 == 0 ? "" : FIRE_ALL));
        fired();

        oldB.close();
        SchedulerNode newB = next(ADDITIVE, () -> standby("b"));
        assertEquals(NEXT, newestMigration());
        assertEquals(Role.MASTER, oldA.role(), "the new build migrates under the old build's hands");
        addBySql("under-the-old-master");
        fired();

        oldA.close();
        assertEquals(Role.STOPPED, oldA.role());
        becomesMaster(newB);
        SchedulerNode againA = standby("a");
        fired();

        newB.close();
        becomesMaster(againA);
        addBySql("back-under-the-old-build");
        fired();
        SchedulerNode againB = next(ADDITIVE, () -> standby("b"));

        againA.close();
        becomesMaster(againB);
        next(ADDITIVE, () -> standby("a"));
        fired();

        assertTrue(tasks.number("select count(*) from twinbell.next_count where rows = 1") >= 2);
        for (String name : List.of("under-the-old-master", "back-under-the-old-build")) {
            assertTrue(count("name = '" + name + "' and state = 'SUCCEEDED'") > 0, name);
        }
        tasks.execute("update twinbell.task_state set state = 'PAUSED', version = version + 1");
        await().until(() -> count("state in ('PENDING', 'CLAIMED', 'RUNNING')") == 0);
        assertEquals(List.of(), slotsThatAreOwedAndNotInTheLedger());
        assertEquals(calls.size(), calls.stream().distinct().count(), "no attempt was made twice");
        assertEquals(count("state = 'SUCCEEDED'"), calls.size());
        assertEquals(4, tasks.number("select count(distinct epoch) from twinbell.execution where epoch is not null"));
        assertEquals(0, count("state <> 'SUCCEEDED'"), "nothing was left over by a hand-over");
    }

    @Test
    void a_build_that_the_schema_has_outgrown_ends_and_is_not_let_in_again() throws Exception {
        SchedulerNode old = master("a");
        next("update twinbell.cluster set oldest_build = " + NEXT, () -> standby("b"));
        refused(old);
        refused(start("c"));
    }

    private void refused(SchedulerNode node) {
        ExecutionException end =
                assertThrows(ExecutionException.class, () -> node.ended().get(30, TimeUnit.SECONDS));
        assertEquals(WrongSchemaException.class, end.getCause().getClass());
        assertTrue(end.getMessage().contains("know its version " + NEXT), end.getMessage());
    }

    private SchedulerNode master(String name) {
        SchedulerNode node = start(name);
        becomesMaster(node);
        return node;
    }

    private SchedulerNode standby(String name) {
        SchedulerNode node = start(name);
        await().atMost(Duration.ofSeconds(20)).until(() -> node.role() == Role.STANDBY);
        return node;
    }

    private static void becomesMaster(SchedulerNode node) {
        await().atMost(Duration.ofSeconds(20)).until(() -> node.role() == Role.MASTER);
    }

    private void fired() {
        int before = calls.size();
        await().atMost(Duration.ofSeconds(20)).until(() -> calls.size() > before + 50);
    }

    private interface Starting {
        SchedulerNode start();
    }

    /** What is started has this migration on its class path too: its threads inherit the loader. */
    private SchedulerNode next(String migration, Starting starting) throws IOException {
        Path folder = Files.createDirectories(extra.resolve("io/twinbell/persistence/migrations"));
        String name = "V" + NEXT + "__next.sql";
        Files.writeString(folder.resolve(name), migration);
        Files.writeString(folder.resolveSibling("migrations.txt"), name);
        Thread thread = Thread.currentThread();
        ClassLoader own = thread.getContextClassLoader();
        thread.setContextClassLoader(new URLClassLoader(new URL[] {extra.toUri().toURL()}, own));
        try {
            return starting.start();
        } finally {
            thread.setContextClassLoader(own);
        }
    }

    private SchedulerNode start(String node) {
        TaskHandler handler = context -> {
            calls.add(context.idempotencyKey() + " " + context.attempt());
            return null;
        };
        NodeConfig.Endpoint any = new NodeConfig.Endpoint("127.0.0.1", 0);
        Duration week = Duration.ofDays(7);
        NodeConfig config = new NodeConfig(
                database.getDatabaseName(),
                node,
                new NodeConfig.Listeners(any, any),
                new NodeConfig.Database(database.getUrl(), database.getUser(), database.getPassword()),
                new NodeConfig.ZooKeeper(zooKeeper, Duration.ofSeconds(2)),
                new NodeConfig.WorkerConfig(4, 1000, Duration.ofSeconds(5)),
                new NodeConfig.Retention(week, week, week, week, week),
                HandlerConfig.DEFAULT);
        SchedulerNode started = new SchedulerNode(config, Map.of("k", handler), MBeanServerFactory.newMBeanServer());
        nodes.push(started);
        started.start();
        return started;
    }

    /** Every 100 ms from now on, told to the master as the API would. */
    private void insert(String name, String misfire) {
        long now = tasks.number("select twinbell.now_millis()");
        String definition = "{\"schedule\":{\"every\":\"PT0.1S\"},\"start\":\"2026-01-05T00:00:00.000Z\","
                + "\"overlap\":\"ALLOW\"," + misfire + "\"handler\":{\"type\":\"java\",\"key\":\"k\"}}";
        long id = tasks.insert(name, definition, now / 100 * 100 + 100);
        tasks.query("select pg_notify('twinbell_task', '" + id + "')");
    }

    private void addBySql(String name) {
        tasks.query(
                "select twinbell.add_task('app', '" + name + "', '{\"every\":\"PT0.1S\"}',"
                        + " '{\"type\":\"java\",\"key\":\"k\"}', '{\"overlap\":\"ALLOW\",\"misfire\":{\"policy\":\"FIRE_ALL\"}}')");
    }

    private String newestMigration() {
        return tasks.row("select max(version::int) from twinbell.flyway_schema_history");
    }

    private long count(String condition) {
        return tasks.number("select count(*) from twinbell.execution where " + condition);
    }

    /** From each task's first row to the fire time that it waits for, every 100 ms. */
    private List<String> slotsThatAreOwedAndNotInTheLedger() {
        return tasks.query("""
                select t.task_id, owed from twinbell.task_state t,
                  lateral (select min(fire_time) as first from twinbell.execution e where e.task_id = t.task_id) f,
                  lateral generate_series(f.first, t.next_fire_time - interval '100 ms', interval '100 ms') owed
                where not exists (select 1 from twinbell.execution e where e.task_id = t.task_id
                  and owed between e.fire_time and coalesce(e.until_fire_time, e.fire_time))""");
    }
}
