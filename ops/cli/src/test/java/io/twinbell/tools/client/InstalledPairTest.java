package io.twinbell.tools.client;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.twinbell.tools.cli.StubNode;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class InstalledPairTest {
    private static final String PATH = "/api/v1/cluster";
    private static final String OTHER = "http://127.0.0.1:8082";

    private static List<String> addresses(StubNode node) throws NodeException {
        NodeClient client = new NodeClient(URI.create(node.url()), Duration.ofSeconds(5), any -> Optional.empty());
        return InstalledPair.addresses(node.url(), client, new CommandClock());
    }

    private static String cluster(String master, String nodes) {
        return "{\"master\":" + master + ",\"nodes\":[" + nodes + "]}";
    }

    private static String node(String id, String url) {
        return "{\"id\":\"" + id + "\",\"http\":\"" + url + "\"}";
    }

    @Test
    void a_node_that_has_just_started_is_asked_again_until_it_knows_the_master() throws Exception {
        try (StubNode standby = StubNode.start("b", "STANDBY", 1)) {
            String itself = node("b", standby.url());
            standby.answer(PATH, cluster("\"a\"", itself));
            Thread masterSeen = new Thread(() -> {
                while (standby.requests().isEmpty()) {
                    Thread.onSpinWait();
                }
                standby.answer(PATH, cluster("\"a\"", node("a", OTHER) + "," + itself));
            });
            masterSeen.start();
            assertEquals(List.of(standby.url(), OTHER), addresses(standby));
            masterSeen.join();
        }
    }

    @Test
    void a_master_without_an_entry_does_not_hold_up_the_command_for_ever() throws Exception {
        try (StubNode standby = StubNode.start("b", "STANDBY", 1)) {
            standby.answer(PATH, cluster("\"a\"", node("b", standby.url())));
            assertEquals(List.of(standby.url()), addresses(standby));
        }
    }

    @Test
    void a_node_without_a_master_is_asked_once() throws Exception {
        try (StubNode node = StubNode.start("a", "STANDBY", 0)) {
            node.answer(PATH, cluster("null", node("a", node.url())));
            assertEquals(List.of(node.url()), addresses(node));
            assertEquals(1, node.requests().size());
        }
    }
}
