package io.twinbell.node.pair;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.twinbell.ha.role.Role;
import io.twinbell.node.config.NodeConfig;
import io.twinbell.node.handler.config.HandlerConfig;
import io.twinbell.persistence.testing.TestPostgres;
import io.twinbell.persistence.testing.TestTasks;
import io.twinbell.persistence.testing.TestZooKeeper;
import io.twinbell.tools.bench.BenchReport;
import io.twinbell.tools.bench.BenchResults;
import io.twinbell.tools.bench.BenchRun;
import io.twinbell.tools.bench.InsertWorkload;
import io.twinbell.tools.bench.Workload;
import io.twinbell.tools.bench.database.BenchDatabase;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import javax.management.MBeanServerFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.postgresql.ds.PGSimpleDataSource;

/** {@code twinbell bench} on a whole node: what is measured is another matter, but nothing of it stays. */
@Timeout(120)
class BenchTest {
    private final PGSimpleDataSource database = TestPostgres.freshDatabase();
    private final String zooKeeper = TestZooKeeper.freshFolder();
    private final TestTasks tasks = new TestTasks(database);
    private SchedulerNode node;

    @BeforeEach
    void startNode() throws Exception {
        NodeConfig.Endpoint any = new NodeConfig.Endpoint("127.0.0.1", 0);
        Duration week = Duration.ofDays(7);
        NodeConfig config = new NodeConfig(
                database.getDatabaseName(),
                "a",
                new NodeConfig.Listeners(any, any),
                new NodeConfig.Database(database.getUrl(), database.getUser(), database.getPassword()),
                new NodeConfig.ZooKeeper(zooKeeper, Duration.ofSeconds(2)),
                new NodeConfig.WorkerConfig(4, 1000, Duration.ofSeconds(5)),
                new NodeConfig.Retention(week, week, week, week, week),
                HandlerConfig.DEFAULT);
        node = new SchedulerNode(config, Map.of(), MBeanServerFactory.newMBeanServer());
        node.start();
        await().until(() -> node.role() == Role.MASTER);
    }

    @AfterEach
    void stop() throws Exception {
        node.close();
    }

    @Test
    void a_run_finds_its_slots_in_the_ledger_and_leaves_nothing_or_says_what() throws Exception {
        try (BenchDatabase known =
                BenchDatabase.connect(database.getUrl(), database.getUser(), database.getPassword())) {
            BenchReport drain = bench(Optional.of(known)).run(new Workload.Drain(50));
            BenchReport insert = bench(Optional.of(known)).run(new InsertWorkload(20));

            BenchReport overdue = bench(Optional.of(known)).run(new Workload.Overdue(50));

            assertEquals(List.of(), overdue.results().problems());
            assertEquals(50, value(overdue, "slotsSucceeded"));
            assertTrue(value(overdue, "drained") > 0, "the duration counts from the commit");
            assertEquals(List.of(), drain.results().problems());
            assertEquals(50, value(drain, "slotsSucceeded"));
            assertEquals(0, value(drain, "heapMisses"));
            assertTrue(value(drain, "walPerSlot") > 0, "a commit writes a log");
            assertTrue(value(insert, "addTaskBatchUntilRead") > 0, "all were read");
            assertTrue(value(insert, "addTasksParallelUntilRead") > 0, "all were read");
        }
        for (String table : List.of("task", "execution", "removed_task")) {
            assertEquals(0, tasks.number("select count(*) from twinbell." + table), table);
        }

        BenchReport overHttp = bench(Optional.empty()).run(new Workload.Drain(50));

        assertEquals(List.of(), overHttp.results().problems());
        assertEquals(50, value(overHttp, "slotsSucceeded"));
        assertTrue(
                overHttp.results().notes().stream().anyMatch(note -> note.contains("stay in the ledger")),
                overHttp.results().notes().toString());
        assertEquals(0, tasks.number("select count(*) from twinbell.task"));

        BenchReport overdueOverHttp = bench(Optional.empty()).run(new Workload.Overdue(50));

        assertEquals(List.of(), overdueOverHttp.results().problems());
        assertTrue(
                overdueOverHttp.results().notes().stream().anyMatch(note -> note.contains("over HTTP is included")),
                overdueOverHttp.results().notes().toString());
    }

    private BenchRun bench(Optional<BenchDatabase> known) {
        return new BenchRun(List.of(URI.create(node.url())), known, told -> {});
    }

    private static double value(BenchReport report, String name) {
        return report.results().figures().stream()
                .filter(figure -> figure.name().equals(name))
                .mapToDouble(BenchResults.Figure::value)
                .findFirst()
                .orElseThrow();
    }
}
