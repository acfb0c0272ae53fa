package io.twinbell.node.pair;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import io.twinbell.ha.role.Role;
import io.twinbell.handler.TaskHandler;
import io.twinbell.node.config.NodeConfig;
import io.twinbell.node.handler.config.HandlerConfig;
import io.twinbell.persistence.testing.ReplicatedPostgres;
import io.twinbell.persistence.testing.TestZooKeeper;
import io.twinbell.tools.client.NodeClient;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentLinkedQueue;
import javax.management.MBeanServerFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A whole pair on a primary and its replica, while the database fails over. Both are real servers. */
@Timeout(240)
class PromotionPairTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final Duration WEEK = Duration.ofDays(7);
    private static final NodeConfig.Endpoint ANY = new NodeConfig.Endpoint("127.0.0.1", 0);
    private static final String ENTERED = "select count(*) from twinbell.execution";
    private static final String SUCCEEDED = "select count(*) from twinbell.execution where state = 'SUCCEEDED'";

    @TempDir
    Path directory;

    private final String zooKeeper = TestZooKeeper.freshFolder();
    private final Queue<String> calls = new ConcurrentLinkedQueue<>();
    private final Deque<SchedulerNode> nodes = new ArrayDeque<>();

    @AfterEach
    void stopNodes() {
        while (!nodes.isEmpty()) {
            nodes.pop().close();
        }
    }

    @Tag("thorough")
    @Test
    void a_former_primary_that_comes_back_and_takes_writes_gets_no_claim_and_no_slot_is_called_twice()
            throws Exception {
        try (ReplicatedPostgres servers = ReplicatedPostgres.start(directory)) {
            servers.waitForReplica();
            begin(servers);

            servers.stopPrimary();
            servers.promote();
            servers.waitForNobody();
            awaitCalls(40);

            servers.startFormerPrimary();
            long before = Long.parseLong(servers.onPrimary(SUCCEEDED));
            for (int round = 0; round < 3; round++) {
                servers.onReplica("select count(pg_terminate_backend(pid)) from pg_stat_activity"
                        + " where application_name like 'twinbell/%'");
                awaitCalls(40);
            }
            assertEquals(before, Long.parseLong(servers.onPrimary(SUCCEEDED)), "what the former primary has");
            assertEquals(
                    "0",
                    servers.onPrimary("select count(*) from twinbell.execution where claimed_at > ("
                            + "select pg_postmaster_start_time())"));
            end(servers);
        }
    }

    /** A claim that the replica lacks stays on the primary when its session is ended, and dies with it. */
    @Test
    void a_claim_that_a_synchronous_replica_has_not_confirmed_starts_no_run() throws Exception {
        try (ReplicatedPostgres servers = ReplicatedPostgres.start(directory)) {
            servers.waitForReplica();
            begin(servers);

            servers.detachReplica();
            long entered = Long.parseLong(servers.onReplica(ENTERED));
            // By then a claim has had no answer, and its session was ended: it can be read on the primary.
            await().atMost(PATIENCE).until(() -> Long.parseLong(servers.onPrimary(ENTERED)) > entered);
            int before = calls.size();
            await().pollDelay(Duration.ofSeconds(4)).until(() -> true);
            assertEquals(before, calls.size(), "nothing starts while nothing is confirmed");
            servers.killPrimary();
            servers.promote();
            servers.waitForNobody();
            awaitCalls(40);
            end(servers);
        }
    }

    /** What the master was told to be committed, and the replica had not received, is entered again from its memory. */
    @Tag("thorough")
    @Test
    void rows_missing_on_a_promoted_asynchronous_replica_are_reentered_and_not_called_twice() throws Exception {
        try (ReplicatedPostgres servers = ReplicatedPostgres.start(directory)) {
            begin(servers);
            // The master looks for replicas with each heartbeat, every three seconds.
            awaitCalls(280);

            servers.detachReplica();
            long received = Long.parseLong(servers.onReplica(SUCCEEDED));
            awaitCalls(160);
            long lost = Long.parseLong(servers.onPrimary(SUCCEEDED)) - received;
            assertTrue(lost > 100, "the replica lacks " + lost);
            servers.killPrimary();
            servers.promote();
            awaitCalls(160);
            end(servers);
            assertTrue(
                    Long.parseLong(servers.onReplica("select sum(slots) from twinbell.lost_history")) >= lost,
                    "what was lost is named");
        }
    }

    /** What the master claimed last is unknown, so the slots of that time are named and not called again. */
    @Tag("thorough")
    @Test
    void slots_that_may_have_run_on_a_primary_that_was_lost_with_its_master_are_dropped_by_name() throws Exception {
        try (ReplicatedPostgres servers = ReplicatedPostgres.start(directory)) {
            begin(servers);
            awaitCalls(280);

            servers.detachReplica();
            awaitCalls(160);
            SchedulerNode master = nodes.stream()
                    .filter(node -> node.role() == Role.MASTER)
                    .findFirst()
                    .orElseThrow();
            servers.killPrimary();
            master.close();
            nodes.remove(master);
            Set<String> before = new TreeSet<>(calls);
            servers.promote();
            awaitCalls(160);

            servers.onReplica(
                    "select count(twinbell.remove_task('test', 'tick' || n)) from generate_series(1, 4) as n");
            // What the replica knew as claimed is settled a second after the promotion.
            await().atMost(PATIENCE)
                    .until(() -> servers.onReplica(
                                    "select count(*) from twinbell.execution where state in ('CLAIMED', 'RUNNING')")
                            .equals("0"));
            Set<String> named = named(nodes.getFirst());
            stopNodes();
            assertEquals(List.of(), repeated());
            Set<String> recorded = ledger(servers, "state = 'SUCCEEDED'");
            Set<String> inDoubt = ledger(servers, "state = 'DROPPED' and reason like 'IN\\_DOUBT: %; dropped'");
            Set<String> unaccounted = new TreeSet<>(before);
            unaccounted.removeAll(recorded);
            assertTrue(unaccounted.size() > 100, "the promoted server lacks " + unaccounted.size());
            unaccounted.removeAll(inDoubt);
            // A run that the replica knew as claimed is an orphan like any other.
            unaccounted.removeAll(ledger(servers, "state = 'DROPPED' and reason like 'attempt 1 was left%'"));
            assertEquals(Set.of(), unaccounted, "each call of the lost time is named");
            assertEquals(inDoubt, named, "the API names the same slots and no others");
        }
    }

    /** The slots in doubt that a new master tells of, as {@link #ledger} has them. */
    private static Set<String> named(SchedulerNode node) throws Exception {
        NodeClient client = new NodeClient(URI.create(node.url()), Duration.ofSeconds(5));
        long counted = 0;
        for (JsonNode change : client.get("/api/v1/cluster").path("history")) {
            counted += change.path("inDoubt").path("slots").asLong();
        }
        Set<String> named = new TreeSet<>();
        for (JsonNode row :
                client.get("/api/v1/executions?inDoubt=true&limit=1000").path("items")) {
            named.add(row.path("name").asText() + " "
                    + Instant.parse(row.path("fireTime").asText()).toEpochMilli() + " "
                    + row.path("attempt").asInt());
        }
        assertEquals(named.size(), counted, "the role history counts them");
        return named;
    }

    private static Set<String> ledger(ReplicatedPostgres servers, String which) throws Exception {
        String found = servers.onReplica(
                "select string_agg(name || ' ' || (extract(epoch from fire_time) * 1000)::bigint || ' ' || attempt, ',')"
                        + " from twinbell.execution where " + which);
        return new TreeSet<>(found == null ? List.of() : List.of(found.split(",")));
    }

    private void begin(ReplicatedPostgres servers) throws Exception {
        // A replica that is cut off while it replays a new partition lets nobody read the table.
        servers.onPrimary("select twinbell.ensure_partitions(), twinbell.ensure_audit_partitions()");
        start("a", servers);
        start("b", servers);
        await().atMost(PATIENCE).until(() -> nodes.stream().anyMatch(node -> node.role() == Role.MASTER));
        servers.onPrimary("select count(twinbell.add_task('test', 'tick' || n, '{\"every\":\"PT0.1S\"}',"
                + " '{\"type\":\"java\",\"key\":\"test.tick\"}', '{\"overlap\":\"ALLOW\"}'))"
                + " from generate_series(1, 4) as n");
        awaitCalls(40);
    }

    /** What the receiver saw and what the promoted server says are one story. */
    private void end(ReplicatedPostgres servers) throws Exception {
        servers.onReplica("select count(twinbell.remove_task('test', 'tick' || n)) from generate_series(1, 4) as n");
        stopNodes();
        assertEquals(List.of(), repeated());
        Set<String> recorded = ledger(servers, "state = 'SUCCEEDED'");
        assertTrue(recorded.containsAll(calls), "each call is in the ledger of the promoted server");
    }

    private List<String> repeated() {
        Set<String> seen = new TreeSet<>();
        List<String> repeated = new ArrayList<>();
        calls.stream().filter(call -> !seen.add(call)).forEach(repeated::add);
        return repeated;
    }

    private void awaitCalls(int more) {
        int before = calls.size();
        await().atMost(PATIENCE).until(() -> calls.size() >= before + more);
    }

    private void start(String id, ReplicatedPostgres servers) {
        TaskHandler tick = context -> {
            calls.add(context.name() + " " + context.fireTime().toEpochMilli() + " " + context.attempt());
            return null;
        };
        SchedulerNode node = new SchedulerNode(
                new NodeConfig(
                        "pair",
                        id,
                        new NodeConfig.Listeners(ANY, ANY),
                        new NodeConfig.Database(servers.url(), "postgres", null),
                        new NodeConfig.ZooKeeper(zooKeeper, Duration.ofSeconds(5)),
                        new NodeConfig.WorkerConfig(4, 1000, Duration.ofSeconds(5)),
                        new NodeConfig.Retention(WEEK, WEEK, WEEK, WEEK, WEEK),
                        HandlerConfig.DEFAULT),
                Map.of("test.tick", tick),
                MBeanServerFactory.newMBeanServer());
        node.start();
        nodes.push(node);
    }
}
