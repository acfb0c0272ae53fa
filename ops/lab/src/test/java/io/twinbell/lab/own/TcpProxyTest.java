package io.twinbell.lab.own;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.twinbell.lab.own.TcpProxy.ProxyBehaviour;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class TcpProxyTest {
    private static final int QUIET_MILLIS = 300;
    private static final int LONG_MILLIS = 10_000;

    private ServerSocket server;
    private TcpProxy proxy;
    private Socket asked;
    private Socket client;

    @BeforeEach
    void connect() throws IOException {
        server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        proxy = TcpProxy.listen(
                LoopbackHosts.ADDRESS, 0, new InetSocketAddress(LoopbackHosts.ADDRESS, server.getLocalPort()));
        client = new Socket(LoopbackHosts.ADDRESS, proxy.port());
        asked = server.accept();
    }

    @AfterEach
    void close() throws IOException {
        client.close();
        asked.close();
        proxy.close();
        server.close();
    }

    @Test
    void a_good_way_passes_everything_on_and_tells_the_end() throws IOException {
        assertArrives(client, asked, 1);
        assertArrives(asked, client, 2);
        client.close();
        assertEquals(-1, read(asked, LONG_MILLIS));
    }

    @Test
    void a_slow_way_holds_each_piece_back() throws IOException {
        proxy.setBehaviour(ProxyBehaviour.slow(Duration.ofMillis(2 * QUIET_MILLIS)));

        client.getOutputStream().write(3);
        assertThrows(SocketTimeoutException.class, () -> read(asked, QUIET_MILLIS));
        assertEquals(3, read(asked, LONG_MILLIS));
    }

    @Test
    void a_silent_way_keeps_the_connection_and_delivers_when_it_speaks_again() throws IOException {
        proxy.setBehaviour(ProxyBehaviour.SILENT);

        client.getOutputStream().write(4);
        assertThrows(SocketTimeoutException.class, () -> read(asked, QUIET_MILLIS));
        proxy.setBehaviour(ProxyBehaviour.GOOD);
        assertEquals(4, read(asked, LONG_MILLIS));
    }

    @Test
    void a_half_open_way_loses_the_answers_alone() throws IOException {
        proxy.setBehaviour(ProxyBehaviour.ANSWERS_LOST);

        assertArrives(client, asked, 5);
        asked.getOutputStream().write(6);
        assertThrows(SocketTimeoutException.class, () -> read(client, QUIET_MILLIS));
    }

    @Test
    void a_reset_breaks_the_connections_of_both_sides_and_lets_new_ones_in() throws IOException {
        assertArrives(client, asked, 7);

        proxy.reset();

        await().until(() -> isBroken(client));
        await().until(() -> isBroken(asked));
        client = new Socket(LoopbackHosts.ADDRESS, proxy.port());
        asked = server.accept();
        assertArrives(client, asked, 8);
    }

    @Test
    void a_way_that_refuses_lets_nobody_in() throws IOException {
        proxy.setBehaviour(ProxyBehaviour.REFUSING);

        try (Socket refused = new Socket(LoopbackHosts.ADDRESS, proxy.port())) {
            await().until(() -> isBroken(refused));
        }
        assertTrue(client.isConnected());
    }

    private static void assertArrives(Socket from, Socket to, int sent) throws IOException {
        from.getOutputStream().write(sent);
        assertEquals(sent, read(to, LONG_MILLIS));
    }

    private static int read(Socket socket, int limitMillis) throws IOException {
        socket.setSoTimeout(limitMillis);
        return socket.getInputStream().read();
    }

    private static boolean isBroken(Socket socket) {
        try {
            return read(socket, QUIET_MILLIS) < 0;
        } catch (SocketTimeoutException stillThere) {
            return false;
        } catch (IOException reset) {
            return true;
        }
    }
}
