package io.twinbell.lab.own;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.twinbell.persistence.testing.FreePort;
import io.twinbell.tools.drill.ConditionPoll;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;

/** Two real servers. */
class ReplicationTest {
    @TempDir
    private Path directory;

    @Test
    @EnabledIfSystemProperty(
            named = "twinbell.drills",
            matches = "all",
            disabledReason =
                    "it takes half a minute: -Dtwinbell.drills=all runs it, and each drill of a replica does the same")
    void the_servers_change_their_roles_with_each_promotion_and_lose_nothing() throws Exception {
        ConditionPoll poll = new ConditionPoll();
        Path second = Files.createDirectories(directory.resolve("second"));
        try (OwnDatabase one = new OwnDatabase(directory, new LoopbackHosts(), FreePort.take(), poll);
                OwnDatabase other = new OwnDatabase(second, new LoopbackHosts(), FreePort.take(), poll)) {
            one.start();
            Replication servers = new Replication(one, other, poll);
            servers.begin();
            assertThrows(IOException.class, () -> servers.onOther().write(), "a replica takes no writes");

            servers.waitForReplica();
            servers.onPrimary().write();
            one.kill();
            assertFalse(one.runs());
            servers.promote();
            assertEquals(other, servers.primary());
            servers.onPrimary().write();

            servers.rebuild();
            servers.waitForReplica();
            other.stop();
            servers.promote();
            assertEquals(one, servers.primary());
            servers.rejoin();
            assertTrue(servers.onPrimary().hasReplica());
        }
    }
}
