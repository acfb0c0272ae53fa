package io.twinbell.node.api.server;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.twinbell.persistence.clock.Ticker;
import io.twinbell.persistence.testing.HandTicker;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.util.Callback;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class ConnectionsTest {
    private static final int LIMIT = 20;
    /** A twentieth of the limit, and at least four. */
    private static final int RESERVE = 4;

    /** More than the buffers of a connection take. */
    private static final int LARGE = 20_000_000;

    /** Requests that may run at once. */
    private static final int PLACES = 2 * LIMIT;

    private static final int MOST_UNSENT = 1_000_000;

    private static final String CLIENT = "127.0.0.1";
    private static final String OTHER = "127.0.0.2";
    private static final Duration HOUR = Duration.ofHours(1);
    private static final Connections.Patience PATIENCE = new Connections.Patience(HOUR, HOUR, HOUR, HOUR, 1);

    private final List<Socket> sockets = new ArrayList<>();
    private final Queue<Callback> unanswered = new ConcurrentLinkedQueue<>();
    private final Server server = new Server();
    private Connections connections;
    private ServerConnector connector;
    private ConnectionLimits.Port port;
    private ResponseSender answers;

    private void start(ConnectionLimits.Bounds bounds, Ticker ticker) throws Exception {
        connections = new Connections(
                PATIENCE, request -> request.getHttpURI().getPath().equals("/urgent"), ticker);
        answers = new ResponseSender("/stream", MOST_UNSENT, connections);
        FairAdmission admission = new FairAdmission(1000, answers::hasRoom, new LongAdder());
        admission.setMaxRequestCount(PLACES);
        admission.setMaxSuspend(HOUR);
        admission.excludePath("/urgent");
        admission.setHandler(new Answers());
        answers.setHandler(admission);
        connections.setHandler(answers);
        server.setHandler(connections);
        connector = new ServerConnector(server, 1, 1, new HttpConnectionFactory());
        port = connections.port(bounds);
        connector.addEventListener(port);
        connector.addBean(port);
        server.addConnector(connector);
        server.start();
    }

    private void start() throws Exception {
        start(new ConnectionLimits.Bounds("test", 1000, LIMIT), System::nanoTime);
    }

    /** Answers by the path of the request: at once, an hour later, or when the test ends. */
    private final class Answers extends Handler.Abstract {
        @Override
        public boolean handle(Request request, Response response, Callback callback) {
            switch (request.getHttpURI().getPath()) {
                case "/refused" -> new EarlyRefusal(401, "unknown", HOUR).write(request, response, callback);
                case "/slow" -> unanswered.add(callback);
                case "/fails" -> throw new IllegalStateException("the route fails");
                case "/large" -> response.write(true, ByteBuffer.allocate(LARGE), callback);
                default -> callback.succeeded();
            }
            return true;
        }
    }

    @AfterEach
    void stop() throws Exception {
        for (Socket socket : sockets) {
            socket.close();
        }
        unanswered.forEach(Callback::succeeded);
        server.stop();
    }

    private Socket connected(String from) throws IOException {
        Socket socket = new Socket();
        sockets.add(socket);
        socket.setSoTimeout(20_000);
        socket.bind(new InetSocketAddress(from, 0));
        socket.connect(new InetSocketAddress("127.0.0.1", connector.getLocalPort()));
        return socket;
    }

    private Socket asked(String from, String path) throws IOException {
        Socket socket = connected(from);
        socket.getOutputStream()
                .write(("GET " + path + " HTTP/1.1\r\nHost: localhost\r\n\r\n").getBytes(StandardCharsets.US_ASCII));
        return socket;
    }

    private static String status(Socket socket) throws IOException {
        return new String(socket.getInputStream().readNBytes(12), StandardCharsets.US_ASCII).replace("HTTP/1.1 ", "");
    }

    /** Holds connections whose requests are under way. */
    private void hold(String from, int count) throws IOException {
        for (int i = 0; i < count; i++) {
            asked(from, "/slow");
        }
        await().until(() -> unanswered.size() == count);
    }

    @Test
    void a_pass_that_fails_is_followed_by_the_next_one() throws Exception {
        AtomicInteger passes = new AtomicInteger();
        start(new ConnectionLimits.Bounds("test", 10, 10), () -> {
            if (passes.incrementAndGet() == 1) {
                throw new IllegalStateException("the first pass fails");
            }
            return 0;
        });
        await().until(() -> passes.get() > 1);
    }

    @Test
    void at_no_moment_are_more_connections_open_than_the_limit_and_the_reserve() throws Exception {
        start(new ConnectionLimits.Bounds("test", 2 * LIMIT, LIMIT), System::nanoTime);
        for (int i = 0; i < 20 * LIMIT; i++) {
            connected("127.0.0." + (1 + i % 3));
            int most = connections.limits().size();
            assertTrue(most <= 2 * LIMIT + RESERVE, () -> most + " are open");
        }
        assertEquals("200", status(asked(OTHER, "/")));
    }

    @Test
    void a_port_that_opens_its_connections_slowly_holds_up_no_other_port() throws Exception {
        start();
        for (int i = 0; i < ConnectionLimits.MOST_OPENING; i++) {
            port.onAccepting(SocketChannel.open());
        }
        ConnectionLimits.Port other = connections.port(new ConnectionLimits.Bounds("other", 1, 1));
        other.onAccepting(SocketChannel.open());
        assertEquals(LIMIT + RESERVE + 1, connections.limits().size());
    }

    @Test
    void the_connection_that_has_waited_longest_makes_room() throws Exception {
        start();
        Socket first = connected(CLIENT);
        for (int i = 0; i < LIMIT + RESERVE; i++) {
            connected(CLIENT);
        }
        assertEquals(-1, first.getInputStream().read());
        await().until(() -> connections.limits().size() == LIMIT + RESERVE);
        assertEquals("200", status(asked(OTHER, "/")));
        assertEquals(LIMIT + RESERVE + 1, connections.limits().size(), "another address closes none of them");
    }

    @Test
    void while_every_connection_of_an_address_is_in_use_only_urgent_requests_get_another_one() throws Exception {
        start();
        hold(CLIENT, LIMIT);
        assertEquals("200", status(asked(CLIENT, "/urgent")));
        Socket refused = asked(CLIENT, "/");
        String answer = new String(refused.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertTrue(answer.startsWith("HTTP/1.1 503"), answer);
        assertTrue(answer.contains("Connection: close"), answer);
        assertEquals("200", status(asked(OTHER, "/")), "another address has connections of its own");
        for (Callback each; (each = unanswered.poll()) != null; ) {
            each.succeeded();
        }
        assertEquals("200", status(asked(CLIENT, "/")));
    }

    @Test
    void a_delayed_refusal_makes_room_before_all_others() throws Exception {
        start();
        Socket idle = asked(CLIENT, "/");
        assertEquals("200", status(idle));
        Socket refused = asked(CLIENT, "/refused");
        await().until(() -> port.delayed() == 1);
        hold(CLIENT, LIMIT - 2);
        assertEquals("200", status(asked(CLIENT, "/")));
        assertEquals(-1, refused.getInputStream().read());
        idle.getOutputStream().write("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
        await().until(() -> idle.getInputStream().available() > 0);
    }

    @Test
    void neither_late_refusals_nor_failures_nor_clients_that_do_not_read_keep_places() throws Exception {
        start(new ConnectionLimits.Bounds("test", 1000, 1000), new HandTicker());
        for (int i = 0; i < PLACES; i++) {
            asked(CLIENT, "/refused");
        }
        await().until(() -> port.delayed() == PLACES);
        assertEquals("200", status(asked(OTHER, "/")));
        for (int i = 0; i < PLACES; i++) {
            assertEquals("500", status(asked(CLIENT, "/fails")));
        }
        assertEquals("200", status(asked(OTHER, "/")));
        asked(CLIENT, "/large");
        await().until(() -> answers.unsent() > MOST_UNSENT);
        assertEquals("503", status(asked(OTHER, "/")), "the memory for answers is bounded");
        assertEquals("200", status(asked(OTHER, "/urgent")));
    }

    @Test
    void a_closed_connection_is_forgotten() throws Exception {
        start();
        for (int i = 0; i < 3 * LIMIT; i++) {
            try (Socket socket = i % 2 == 0 ? asked(CLIENT, "/urgent") : connected(CLIENT)) {
                if (i % 4 == 0) {
                    assertEquals("200", status(socket));
                }
            }
        }
        await().until(() -> connections.limits().size() == 0);
    }

    @Test
    void refusals_beyond_the_bound_are_sent_at_once_and_end_their_connections() throws Exception {
        start(new ConnectionLimits.Bounds("test", 1000, 1000), System::nanoTime);
        for (int i = 0; i < ConnectionLimits.MOST_DELAYED_OF_NETWORK; i++) {
            asked(CLIENT, "/refused");
        }
        await().until(() -> port.delayed() == ConnectionLimits.MOST_DELAYED_OF_NETWORK);
        String answer = new String(asked(CLIENT, "/refused").getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertTrue(answer.startsWith("HTTP/1.1 401"), answer);
        assertTrue(answer.contains("Connection: close"), answer);
        asked(OTHER, "/refused");
        await().until(() -> port.delayed() == ConnectionLimits.MOST_DELAYED_OF_NETWORK + 1);
    }
}
