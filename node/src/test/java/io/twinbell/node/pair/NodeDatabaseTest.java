package io.twinbell.node.pair;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.twinbell.persistence.testing.TestPostgres;
import io.twinbell.persistence.testing.TestSettings;
import java.sql.Connection;
import java.sql.SQLException;
import org.junit.jupiter.api.Test;

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
}
