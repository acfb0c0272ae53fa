package io.twinbell.node.pair.database;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.twinbell.persistence.database.DatabaseSettings;
import io.twinbell.persistence.database.DatabaseUnavailableException;
import io.twinbell.persistence.database.ServerHistory;
import io.twinbell.persistence.database.Transactions;
import io.twinbell.persistence.testing.ReplicatedPostgres;
import java.nio.file.Path;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ServerBoundPoolTest {
    @TempDir
    Path directory;

    @Test
    void a_pool_leaves_a_former_primary_with_the_other_connections_of_the_node() throws Exception {
        try (ReplicatedPostgres servers = ReplicatedPostgres.start(directory)) {
            int former = servers.primary().getPortNumbers()[0];
            int promoted = servers.replica().getPortNumbers()[0];
            try (NodeDatabase database = database("127.0.0.1:" + former + ",127.0.0.1:" + promoted);
                    NodeDatabase onlyFormer = database("127.0.0.1:" + former)) {
                assertEquals(former, port(database));
                assertEquals(former, port(onlyFormer));
                servers.promote();
                assertEquals(former, port(database), "nobody knows of the promotion yet");
                var position = database.settings().servers().newest().orElseThrow();
                var next = new ServerHistory.Position(position.system(), position.timeline() + 1, 0);
                database.settings().servers().note(next, "node b");
                onlyFormer.settings().servers().note(next, "node b");
                assertEquals(promoted, port(database));
                assertThrows(DatabaseUnavailableException.class, () -> port(onlyFormer));
            }
        }
    }

    private static NodeDatabase database(String hosts) {
        return new NodeDatabase(
                new DatabaseSettings(
                        "jdbc:postgresql://" + hosts + "/" + ReplicatedPostgres.DATABASE + "?targetServerType=primary",
                        "postgres",
                        null,
                        "a",
                        UUID.randomUUID()),
                1,
                null);
    }

    private static int port(NodeDatabase database) {
        return new Transactions(database.pool()).run("ask where this is", connection -> {
            try (var statement = connection.createStatement();
                    var row = statement.executeQuery("select inet_server_port()")) {
                row.next();
                return row.getInt(1);
            }
        });
    }
}
