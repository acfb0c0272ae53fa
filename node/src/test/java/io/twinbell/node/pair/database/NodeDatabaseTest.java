package io.twinbell.node.pair.database;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.twinbell.node.handler.store.CompletingTransaction;
import io.twinbell.node.handler.store.CompletingTransactions;
import io.twinbell.node.handler.store.SqlStatements;
import io.twinbell.node.handler.transaction.SqlRole;
import io.twinbell.persistence.epoch.Epoch;
import io.twinbell.persistence.ledger.Slot;
import io.twinbell.persistence.testing.SqlTaskRole;
import io.twinbell.persistence.testing.TestPostgres;
import io.twinbell.persistence.testing.TestSettings;
import io.twinbell.persistence.testing.TestTasks;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.postgresql.ds.PGSimpleDataSource;

class NodeDatabaseTest {
    @Test
    void it_is_asked_while_somebody_has_a_connection_of_the_api_and_not_for_its_own_work() throws SQLException {
        try (NodeDatabase database = new NodeDatabase(TestSettings.of(TestPostgres.freshDatabase(), "a"), 1, null)) {
            assertFalse(database.isAsked());
            assertEquals(false, database.claims().run(c -> database.isAsked()));
            try (Connection asking = database.pool().getConnection()) {
                assertTrue(asking.isValid(1));
                assertTrue(database.isAsked());
            }
            assertFalse(database.isAsked());
        }
    }

    @Test
    void connections_are_opened_ahead_of_their_first_use() {
        PGSimpleDataSource source = TestPostgres.freshDatabase();
        try (NodeDatabase database = new NodeDatabase(TestSettings.of(source, "a"), 1, null)) {
            database.openAhead();
            List<String> open = new TestTasks(source)
                    .query("select split_part(application_name, '/', 3) from pg_stat_activity"
                            + " where datname = current_database() and application_name like 'twinbell/%' order by 1");
            assertTrue(
                    open.containsAll(List.of("claim", "gate", "master-lock", "node-lock", "record", "takeover")),
                    open::toString);
            database.openAhead();
            assertEquals(open.size(), sessions(source));
        }
    }

    private static long sessions(PGSimpleDataSource source) {
        return new TestTasks(source)
                .number("select count(*) from pg_stat_activity"
                        + " where datname = current_database() and application_name like 'twinbell/%'");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "select ('x' || repeat('9', 2000000))::int",
                "select repeat('x', 100000000)",
                "select repeat('x', 1000000) from generate_series(1, 100)",
                "insert into wide select repeat('x', 1000000) from generate_series(1, 100) returning t"
            })
    void the_result_of_a_tasks_statement_does_not_fill_the_nodes_memory(String tooMuch) throws Exception {
        PGSimpleDataSource source = TestPostgres.freshDatabase();
        TestPostgres.execute(
                source, SqlTaskRole.CREATE + "; create table wide (t text); grant all on wide to " + SqlTaskRole.NAME);
        try (NodeDatabase database = new NodeDatabase(TestSettings.of(source, "a"), 1, SqlRole.LOGIN)) {
            CompletingTransactions transactions = database.completing(System::currentTimeMillis);
            SQLException refused = assertThrows(SQLException.class, () -> run(transactions, tooMuch));
            assertTrue(
                    refused.getMessage()
                            .matches("a statement (returned more than 8|was aborted because of .* more than 1) MB.*"),
                    refused.getMessage());
            assertEquals(
                    CompletingTransaction.Result.SUPERSEDED,
                    run(transactions, "select repeat('x', 10000) from generate_series(1, 10000)"));
        }
    }

    private static CompletingTransaction.Result run(CompletingTransactions transactions, String statement)
            throws Exception {
        CompletingTransaction.Claimed claimed =
                new CompletingTransaction.Claimed(new Epoch(1, UUID.randomUUID(), "a", 0), new Slot(1, 1), 1, 1);
        CompletingTransaction.TimeLimits limits =
                new CompletingTransaction.TimeLimits(Duration.ofMinutes(1), Duration.ofSeconds(5));
        return transactions
                .restricted(claimed, limits)
                .run(new SqlStatements(List.of(new SqlStatements.SqlStatement(statement, List.of())), limits));
    }
}
