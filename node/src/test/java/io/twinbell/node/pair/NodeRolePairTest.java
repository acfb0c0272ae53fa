package io.twinbell.node.pair;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.twinbell.ha.role.Role;
import io.twinbell.node.config.ConfigReader;
import io.twinbell.node.setup.TwoRoleDatabase;
import io.twinbell.persistence.testing.SqlTaskRole;
import io.twinbell.persistence.testing.TestTasks;
import io.twinbell.persistence.testing.TestZooKeeper;
import io.twinbell.tools.client.NodeClient;
import io.twinbell.tools.verify.VerificationResult;
import io.twinbell.tools.verify.Verifier;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import javax.management.MBeanServerFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A pair whose role does not own the schema does all of its work. */
@Timeout(180)
class NodeRolePairTest {
    private static final Verifier.ProgressListener UNWATCHED = new Verifier.ProgressListener() {
        @Override
        public void at(long tasksDone, String task, double part) {}

        @Override
        public void sleep(Duration time) {}
    };

    private final TwoRoleDatabase database = new TwoRoleDatabase();
    private final String zooKeeper = TestZooKeeper.freshFolder();
    private final TestTasks tables = new TestTasks(database.superuser());

    @Test
    void a_pair_fires_takes_over_and_keeps_house_without_owning_a_table() throws Exception {
        tables.execute(SqlTaskRole.CREATE);
        tables.execute("grant " + SqlTaskRole.NAME + " to " + database.node().getUser()
                + "; grant connect on database " + database.node().getDatabaseName() + " to " + SqlTaskRole.NAME
                + "; create table public.seen (node text); grant insert on public.seen to " + SqlTaskRole.NAME);
        TestTasks owner = new TestTasks(database.owner());
        owner.execute("select twinbell.ensure_partition('2020-02-03'), twinbell.ensure_audit_partition('2020-02-03')");
        owner.execute(
                "do $$ begin execute 'drop table twinbell.execution_' || to_char(clock_timestamp() at time zone 'UTC'"
                        + " + interval '7 days', 'YYYYMMDD'); end $$");
        try (SchedulerNode b = node("b")) {
            try (SchedulerNode a = node("a")) {
                a.start();
                await().atMost(Duration.ofSeconds(60)).until(() -> a.role() == Role.MASTER);
                b.start();
                await().atMost(Duration.ofSeconds(60)).until(() -> b.role() == Role.STANDBY);
                // Before anything fires: a lock that claims hold would put the steps off for ten seconds.
                await().atMost(Duration.ofSeconds(60))
                        .untilAsserted(() -> assertEquals(
                                List.of("||10"),
                                tables.query("select to_regclass('twinbell.execution_20200203'),"
                                        + " to_regclass('twinbell.audit_entry_20200203'), (select count(*)"
                                        + " from pg_inherits where inhparent = 'twinbell.execution'::regclass)")));
                fires(a);
            }
            await().atMost(Duration.ofSeconds(60)).until(() -> b.role() == Role.MASTER);
            long before = succeeded("grid");
            await().atMost(Duration.ofSeconds(60)).until(() -> succeeded("grid") > before + 10);
            NodeClient api = new NodeClient(URI.create(b.url()), Duration.ofSeconds(20));
            VerificationResult verdict = new Verifier(
                            api, new Verifier.Scope("h", Duration.ofMinutes(5), Duration.ofSeconds(30), 50), UNWATCHED)
                    .verify();
            assertEquals(List.of(), verdict.violations());
        }
        assertEquals(
                List.of("CREATE|anybody", "CREATE|the owner", "PROMOTE|"),
                tables.query("select distinct act, case act when 'CREATE' then"
                        + " regexp_replace(actor, '^role .*_owner$', 'the owner') end from twinbell.audit_entry"
                        + " where act in ('CREATE', 'PROMOTE') order by 1, 2"),
                "tasks, the role of the nodes, and the master's role");
    }

    private void fires(SchedulerNode node) throws Exception {
        NodeClient api = new NodeClient(URI.create(node.url()), Duration.ofSeconds(20));
        api.postText("/api/v1/tasks", """
                {"app": "h", "name": "grid", "schedule": {"every": "PT0.2S"},
                 "handler": {"type": "java", "key": "twinbell.noop"}}""");
        api.postText("/api/v1/tasks", """
                {"app": "h", "name": "statement", "schedule": {"in": "PT0.1S"},
                 "handler": {"type": "sql", "statement": "insert into seen values ('x')"}}""");
        await().atMost(Duration.ofSeconds(60)).until(() -> succeeded("grid") > 10 && succeeded("statement") == 1);
    }

    private long succeeded(String name) {
        return tables.number("select count(*) from twinbell.execution where state = 'SUCCEEDED' and name = ?", name);
    }

    private SchedulerNode node(String id) throws Exception {
        return new SchedulerNode(
                ConfigReader.read(
                        null,
                        Map.of(),
                        List.of(
                                "node.id=" + id,
                                "http.port=0",
                                "http.access=OPEN",
                                "jmx.port=0",
                                "database.url=" + database.node().getUrl(),
                                "database.user=" + database.node().getUser(),
                                "database.password=" + database.node().getPassword(),
                                "handlers.sql.enabled=true",
                                "handlers.sql.user=" + SqlTaskRole.NAME,
                                "handlers.sql.password=" + SqlTaskRole.PASSWORD,
                                "zookeeper.connect=" + zooKeeper)),
                Map.of(),
                MBeanServerFactory.newMBeanServer());
    }
}
