package io.twinbell.node.pair.host;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.twinbell.persistence.database.DatabaseSettings;
import io.twinbell.persistence.testing.ReplicatedPostgres;
import java.nio.file.Path;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class HostSurveyTest {
    @TempDir
    Path directory;

    @Test
    void each_server_of_a_url_tells_its_role_its_timeline_and_its_replicas() throws Exception {
        try (ReplicatedPostgres servers = ReplicatedPostgres.start(directory)) {
            String hosts = "localhost:" + servers.primary().getPortNumbers()[0] + ",127.0.0.1:"
                    + servers.primary().getPortNumbers()[0] + ",127.0.0.1:"
                    + servers.replica().getPortNumbers()[0] + ",127.0.0.1:1";
            HostSurvey survey = new HostSurvey(new DatabaseSettings(
                    "jdbc:postgresql://" + hosts + "/" + ReplicatedPostgres.DATABASE + "?targetServerType=primary",
                    "postgres",
                    null,
                    "a",
                    UUID.randomUUID()));

            List<HostFacts> before = survey.survey();
            assertEquals(
                    List.of(hosts.split(",")),
                    before.stream().map(HostFacts::host).toList());
            HostFacts.State primary = before.get(1).state();
            assertTrue(primary.isPrimary());
            assertEquals(1, primary.timeline());
            assertEquals(1, primary.replicas().size());
            assertEquals("async", primary.replicas().get(0).synchronicity());
            assertFalse(before.get(2).state().isPrimary());
            assertEquals(primary.system(), before.get(2).state().system());
            assertNotNull(before.get(3).trouble(), "nobody listens there");
            assertEquals(List.of(before.get(0)), HostFacts.primaries(before), "two hosts of one server");

            servers.promote();
            await().until(() -> survey.survey().get(2).isPrimary());
            List<HostFacts> after = survey.survey();
            assertEquals(2, after.get(2).state().timeline());
            assertEquals(List.of(after.get(0), after.get(2)), HostFacts.primaries(after));
        }
    }
}
