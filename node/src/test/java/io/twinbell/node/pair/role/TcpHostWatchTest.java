package io.twinbell.node.pair.role;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.twinbell.persistence.testing.HandTicker;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** How the silence of a host is recognized, on real sockets; the test sets the time. */
@Timeout(60)
class TcpHostWatchTest {
    private static final Duration LONG = Duration.ofSeconds(5);

    private final HandTicker ticker = new HandTicker();
    private final TcpHostWatch host = new TcpHostWatch(ticker);
    private final List<Socket> filling = new ArrayList<>();

    @AfterEach
    void close() throws IOException {
        host.end();
        for (Socket socket : filling) {
            socket.close();
        }
    }

    /** Asks for as long as this and returns the longest silence that was told. */
    private Duration longestSilence(ServerSocket port, Duration time) {
        return longestSilence("http://127.0.0.1:" + port.getLocalPort(), time);
    }

    private Duration longestSilence(String http, Duration time) {
        Duration longest = Duration.ZERO;
        long until = ticker.nanos() + time.toNanos();
        while (ticker.nanos() < until) {
            Duration silence = host.silence(http);
            longest = silence.compareTo(longest) > 0 ? silence : longest;
            ticker.pass(host.probeDelay());
        }
        return longest;
    }

    private static ServerSocket listening(int backlog) throws IOException {
        return new ServerSocket(0, backlog, InetAddress.getLoopbackAddress());
    }

    /** Its kernel answers no further connection, as if the host were gone. */
    private void fill(ServerSocket port) throws IOException {
        boolean isFull = false;
        while (!isFull) {
            Socket socket = new Socket();
            filling.add(socket);
            try {
                socket.connect(new InetSocketAddress(port.getInetAddress(), port.getLocalPort()), 200);
            } catch (SocketTimeoutException e) {
                isFull = true;
            }
        }
    }

    @Test
    void a_process_that_stands_still_has_a_host_that_answers() throws IOException {
        try (ServerSocket frozen = listening(1000)) {
            assertEquals(Duration.ZERO, longestSilence(frozen, LONG));
        }
    }

    @Test
    void a_host_where_nobody_listens_answers_by_refusing() throws IOException {
        ServerSocket gone = listening(1);
        gone.close();
        assertEquals(Duration.ZERO, longestSilence(gone, LONG));
    }

    @Test
    void a_host_that_answers_no_connection_is_silent_since_it_was_first_asked_in_vain() throws IOException {
        try (ServerSocket full = listening(1)) {
            fill(full);
            assertEquals(Duration.ZERO, longestSilence(full, Duration.ofMillis(75)), "three questions tell nothing");
            Duration silence = longestSilence(full, Duration.ofMillis(300));
            assertTrue(silence.toMillis() >= 300, silence.toString());
            assertEquals(Duration.ofMillis(25), host.probeDelay());
        }
    }

    @Test
    void silence_ends_with_the_first_answer() throws IOException {
        try (ServerSocket full = listening(1)) {
            fill(full);
            assertTrue(longestSilence(full, Duration.ofMillis(400)).toMillis() >= 300);
            for (int i = 1; i < filling.size(); i++) {
                full.accept().close();
            }
            String http = "http://127.0.0.1:" + full.getLocalPort();
            // The kernel has room again; what it says is on its way for a moment.
            while (!host.silence(http).isZero()) {
                ticker.pass(host.probeDelay());
                full.accept().close();
            }
        }
    }

    @Test
    void another_address_begins_anew() throws IOException {
        try (ServerSocket full = listening(1);
                ServerSocket other = listening(50)) {
            fill(full);
            assertTrue(longestSilence(full, LONG).toSeconds() >= 4);
            assertEquals(Duration.ZERO, longestSilence(other, Duration.ofSeconds(1)));
            assertEquals(Duration.ZERO, host.silence("http://127.0.0.1:" + full.getLocalPort()));
        }
    }

    @Test
    void this_host_standing_still_is_no_silence_of_the_other() throws IOException {
        try (ServerSocket frozen = listening(50)) {
            host.silence("http://127.0.0.1:" + frozen.getLocalPort());
            ticker.pass(Duration.ofMinutes(1));
            assertEquals(Duration.ZERO, longestSilence(frozen, Duration.ofSeconds(1)));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"http://no.such.host.invalid:8081", "http://127.0.0.1", "not a url", "mailto:a"})
    void an_address_that_leads_nowhere_is_never_silent(String address) {
        assertEquals(Duration.ZERO, longestSilence(address, LONG));
    }
}
