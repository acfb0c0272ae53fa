package io.twinbell.node.pair.role;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.twinbell.ha.takeover.Probe.Answer;
import io.twinbell.node.pair.RudeNode;
import io.twinbell.node.tls.LiveTls;
import io.twinbell.persistence.clock.Ticker;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The results of asking a node for its incarnation, on real sockets. */
class OwnerProbeTest {
    private static final UUID ASKED_FOR = UUID.randomUUID();

    private final OwnerProbe probe = new OwnerProbe(LiveTls.none(), Ticker.SYSTEM);

    @Test
    void the_process_that_is_asked_for_is_known_by_its_incarnation() throws IOException {
        try (RudeNode node = new RudeNode(answer("{\"id\":\"a\",\"incarnation\":\"" + ASKED_FOR + "\"}"))) {
            assertEquals(Answer.SAME, probe.ask(node.url(), ASKED_FOR));
        }
    }

    @Test
    void another_process_is_another() throws IOException {
        try (RudeNode node = new RudeNode(answer("{\"incarnation\":\"" + UUID.randomUUID() + "\"}"))) {
            assertEquals(Answer.ANOTHER, probe.ask(node.url(), ASKED_FOR));
        }
    }

    @Test
    void a_port_that_nobody_listens_on_refuses() throws IOException {
        int port;
        try (ServerSocket gone = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            port = gone.getLocalPort();
        }
        assertEquals(Answer.REFUSED, probe.ask("http://127.0.0.1:" + port, ASKED_FOR));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "SSH-2.0-OpenSSH_9.2\r\n",
                "HTTP/1.1 503 Service Unavailable\r\n\r\n{\"title\":\"too many requests\"}",
                "HTTP/1.1 200 OK\r\n\r\n{\"incarnation\":",
                "HTTP/1.1 200 OK\r\n\r\n}{"
            })
    void an_answer_that_does_not_tell_who_gave_it_is_none(String answer) throws IOException {
        try (RudeNode node = new RudeNode(answer)) {
            assertEquals(Answer.NONE, probe.ask(node.url(), ASKED_FOR));
        }
    }

    @Test
    void a_process_that_takes_the_connection_and_says_nothing_does_not_answer() throws IOException {
        // No thread accepts: as with a stopped process, only the kernel takes the connection.
        try (ServerSocket frozen = new ServerSocket(0, 5, InetAddress.getLoopbackAddress())) {
            assertEquals(Answer.NONE, probe.ask("http://127.0.0.1:" + frozen.getLocalPort(), ASKED_FOR));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"http://no.such.host.invalid:8081", "http://127.0.0.1", "not a url", "mailto:a"})
    void an_address_that_leads_nowhere_proves_nothing(String address) {
        assertEquals(Answer.NONE, probe.ask(address, ASKED_FOR));
    }

    private static String answer(String json) {
        return "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n" + json;
    }
}
