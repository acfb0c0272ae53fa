package io.twinbell;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.twinbell.client.HandlerKey;
import io.twinbell.client.JdbcTaskClient;
import io.twinbell.client.StoredTask;
import io.twinbell.handler.TransactionalHandler;
import io.twinbell.persistence.testing.SqlTaskRole;
import io.twinbell.persistence.testing.TestPostgres;
import io.twinbell.persistence.testing.TestTasks;
import io.twinbell.persistence.testing.TestZooKeeper;
import java.sql.Connection;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.postgresql.ds.PGSimpleDataSource;

/** Several pairs share one database, each in a schema of its own, although their nodes have the same names. */
@Timeout(180)
class SchemasTest {
    private static final String SOON = "{\"schedule\":{\"in\":\"PT0.1S\"},\"handler\":%s}";
    private static final String EVERY = "{\"schedule\":{\"every\":\"PT0.2S\"},\"handler\":%s}";
    private static final String NOTE = "{\"type\":\"java\",\"key\":\"app.note\"}";

    private static final List<String> ONCE =
            List.of("by-library", "by-client", "in-transaction", "by-sql", "statement");

    private final PGSimpleDataSource database = TestPostgres.emptyDatabase();
    private final TestTasks tables = new TestTasks(database);
    private final String zooKeeper = TestZooKeeper.freshFolder();

    @Test
    void three_masters_called_a_fire_their_own_tasks_and_one_is_replaced() throws Exception {
        tables.execute(SqlTaskRole.CREATE);
        tables.execute(
                "create table public.seen (pair text, task text); grant insert on public.seen to " + SqlTaskRole.NAME);
        try (Twinbell usual = master("twinbell", "a");
                Twinbell shop = master("shop", "a");
                Twinbell order = master("order", "a")) {
            work(usual, "twinbell");
            work(shop, "shop");
            work(order, "order");
            for (String schema : List.of("twinbell", "shop", "order")) {
                await().atMost(Duration.ofSeconds(60)).until(() -> seen(schema).containsAll(ONCE));
            }
            standsIn(usual, shop, order);
        }
        for (String schema : List.of("twinbell", "shop", "order")) {
            assertEquals(
                    ONCE.stream().sorted().toList(),
                    seen(schema).stream().filter(ONCE::contains).sorted().toList());
            tables.assertRows("select count(*) from \"" + schema + "\".execution where state = 'FAILED'", "0");
            assertEquals(
                    1,
                    tables.number("select count(distinct app) from \"" + schema + "\".task where app <> 'app'"),
                    "tasks of its own pair only");
        }
    }

    /** One task in every way that an application has. */
    private void work(Twinbell node, String schema) throws Exception {
        node.tasks().put("app", "by-library", String.format(SOON, NOTE));
        node.tasks().put(schema, "grid", String.format(EVERY, NOTE));
        node.tasks().put("app", "statement", String.format(SOON, """
                        {"type":"sql","statement":"insert into seen values ('%s', 'statement')"}""".formatted(schema)));
        JdbcTaskClient client = JdbcTaskClient.of(database, "app").inSchema(schema);
        StoredTask stored = client.schedule(HandlerKey.of("app.note", String.class), "by-client", Instant.now(), "x");
        assertTrue(client.await(stored, Duration.ofSeconds(30)));
        tables.execute(
                "select \"" + schema + "\".add_task('app', 'by-sql', '{\"in\": \"PT0.1S\"}', '" + NOTE + "', '{}')");
        try (Connection transaction = database.getConnection()) {
            transaction.setAutoCommit(false);
            node.tasks().in(transaction).put("app", "in-transaction", String.format(SOON, NOTE));
            transaction.commit();
        }
    }

    /** The standby of one pair takes over, and nobody notices in the others. */
    private void standsIn(Twinbell usual, Twinbell shop, Twinbell order) throws Exception {
        try (Twinbell standby = node("shop", "b")) {
            assertTrue(standby.awaitJoined(Duration.ofMinutes(1)));
            assertEquals("STANDBY", standby.role());
            long epochs = epochs();
            shop.close();
            await().atMost(Duration.ofSeconds(60)).until(() -> standby.role().equals("MASTER"));
            long before = tables.number("select count(*) from shop.execution where node = 'b'");
            await().atMost(Duration.ofSeconds(60))
                    .until(() -> tables.number("select count(*) from shop.execution where node = 'b'") > before);
            assertEquals(epochs, epochs(), "the others keep their masters");
            assertEquals("MASTER", usual.role());
            assertEquals("MASTER", order.role());
        }
    }

    private long epochs() {
        return tables.number("select u.epoch + o.epoch from twinbell.epoch u cross join \"order\".epoch o");
    }

    private List<String> seen(String schema) {
        return tables.query("select task from public.seen where pair = '" + schema + "' and task <> 'grid'");
    }

    private Twinbell master(String schema, String id) {
        Twinbell node = node(schema, id);
        await().atMost(Duration.ofSeconds(60)).until(() -> node.role().equals("MASTER"));
        return node;
    }

    private Twinbell node(String schema, String id) {
        // The text of a handler's statement stays as it is, whatever the schema.
        TransactionalHandler note = context -> {
            try (var insert =
                    context.connection().prepareStatement("insert into public.seen values (?, ?), (?, 'twinbell.x')")) {
                insert.setString(1, schema);
                insert.setString(2, context.name());
                insert.setString(3, schema);
                insert.execute();
            }
            return null;
        };
        return TestNodes.builder(id, database, zooKeeper)
                .set("database.schema", schema)
                .set("cluster", schema)
                .set("handlers.sql.enabled", "true")
                .set("handlers.sql.user", SqlTaskRole.NAME)
                .set("handlers.sql.password", SqlTaskRole.NAME)
                .handler("app.note", note)
                .start();
    }
}
