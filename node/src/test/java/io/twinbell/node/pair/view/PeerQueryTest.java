package io.twinbell.node.pair.view;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.net.httpserver.HttpServer;
import io.twinbell.ha.latch.Peer;
import io.twinbell.node.api.cluster.PairState;
import io.twinbell.node.tls.LiveTls;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PeerQueryTest {
    private final CountDownLatch over = new CountDownLatch(1);
    private HttpServer server;

    @BeforeEach
    void start() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    }

    @AfterEach
    void stop() {
        over.countDown();
        server.stop(0);
    }

    private interface Writing {
        void to(OutputStream out) throws IOException, InterruptedException;
    }

    private PairState.Node asked(Writing answer) {
        server.createContext("/", exchange -> {
            exchange.sendResponseHeaders(200, 0);
            try (OutputStream out = exchange.getResponseBody()) {
                answer.to(out);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
        server.start();
        String http = "http://127.0.0.1:" + server.getAddress().getPort();
        return new PeerQuery(LiveTls.none(), Optional::empty)
                .ask(new Peer("b", "1f0c", "STANDBY", http, "127.0.0.1:9", "1", "", Peer.ReachReport.of(true)));
    }

    @Test
    void an_endless_answer_of_the_other_node_is_given_up_at_its_bound() {
        byte[] part = "[".repeat(8192).getBytes(StandardCharsets.UTF_8);
        PairState.Node node = asked(out -> {
            while (true) {
                out.write(part);
            }
        });
        assertNull(node.electionState());
        assertTrue(node.error().contains("larger than 65536 bytes"), node.error());
    }

    @Test
    void an_answer_that_begins_and_never_ends_is_given_up_in_time() {
        PairState.Node node = asked(out -> {
            out.write("{\"id\":\"b\",".getBytes(StandardCharsets.UTF_8));
            out.flush();
            over.await();
        });
        assertNull(node.electionState());
        assertTrue(node.error().contains("timed out"), node.error());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "null",
                "[]",
                "{}",
                "<html>",
                "{\"id\":\"b\",\"role\":\"MASTER\"}",
                "{\"id\":\"b\",\"role\":\"MASTER\",\"epoch\":99999999999999999999999}",
                "{\"id\":\"c\",\"role\":\"MASTER\",\"epoch\":7}"
            })
    void an_answer_that_is_not_the_nodes_view_counts_as_none(String body) {
        PairState.Node node = asked(out -> out.write(body.getBytes(StandardCharsets.UTF_8)));
        assertEquals("b", node.id());
        assertNull(node.electionState());
        assertTrue(node.error().startsWith("does not answer: "), node.error());
    }

    @Test
    void the_address_of_a_node_is_the_one_of_its_entry() {
        PairState.Node node = asked(
                out -> out.write("{\"id\":\"b\",\"role\":\"STANDBY\",\"epoch\":7,\"http\":\"http://evil.example\"}"
                        .getBytes(StandardCharsets.UTF_8)));
        assertEquals(7, node.electionState().epoch());
        assertEquals("127.0.0.1:9", node.addresses().jmx());
        assertTrue(
                node.addresses().http().startsWith("http://127.0.0.1:"),
                node.addresses().http());
    }
}
