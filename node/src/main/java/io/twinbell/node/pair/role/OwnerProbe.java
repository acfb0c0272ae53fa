package io.twinbell.node.pair.role;

import com.fasterxml.jackson.core.JsonProcessingException;
import io.twinbell.ha.takeover.Probe;
import io.twinbell.node.json.PeerJson;
import io.twinbell.node.tls.LiveTls;
import io.twinbell.persistence.clock.Ticker;
import java.io.IOException;
import java.io.InputStream;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.UUID;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;

/**
 * Asks the owner over HTTP which process it is. It uses a plain socket, because the verdict depends on how a connection
 * fails: an HTTP client reports a refused connection, an unresolved name and a timeout in the same way.
 */
public final class OwnerProbe implements Probe {
    private static final Duration BOUND = Duration.ofMillis(500);
    private static final int LONGEST_ANSWER = 64 * 1024;
    private static final String PATH = "/api/v1/cluster/self";

    private final LiveTls tls;
    private final Ticker ticker;

    /** @param tls the authorities that the other node's certificate must be issued by */
    public OwnerProbe(LiveTls tls, Ticker ticker) {
        this.tls = tls;
        this.ticker = ticker;
    }

    @Override
    public Answer ask(String http, UUID incarnation) {
        long deadlineNanos = ticker.nanos() + BOUND.toNanos();
        try (Socket socket = new Socket()) {
            URI node = URI.create(http);
            InetSocketAddress address = new InetSocketAddress(node.getHost(), node.getPort());
            if (address.isUnresolved()) {
                return Answer.NONE;
            }
            socket.connect(address, millisUntil(deadlineNanos));
            return understood(
                    answer(
                            "https".equals(node.getScheme()) ? encrypted(socket, node, deadlineNanos) : socket,
                            node,
                            deadlineNanos),
                    incarnation);
        } catch (ConnectException e) {
            return Answer.REFUSED;
        } catch (IOException | IllegalArgumentException e) {
            return Answer.NONE;
        }
    }

    private String answer(Socket socket, URI node, long deadlineNanos) throws IOException {
        String request = "GET " + PATH + " HTTP/1.1\r\nHost: " + node.getAuthority() + "\r\nConnection: close\r\n\r\n";
        socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
        return readAll(socket, deadlineNanos);
    }

    /**
     * Makes the TLS connection. An answer with a certificate that is not trusted, or for another name, does not count
     * as the owner's.
     */
    private Socket encrypted(Socket socket, URI node, long deadlineNanos) throws IOException {
        socket.setSoTimeout(millisUntil(deadlineNanos));
        SSLSocket encrypted =
                (SSLSocket) tls.client().getSocketFactory().createSocket(socket, node.getHost(), node.getPort(), true);
        SSLParameters parameters = encrypted.getSSLParameters();
        parameters.setEndpointIdentificationAlgorithm("HTTPS");
        encrypted.setSSLParameters(parameters);
        encrypted.startHandshake();
        return encrypted;
    }

    /** Reads the whole answer within the time bound, so that a peer which sends it byte by byte cannot extend it. */
    private String readAll(Socket socket, long deadlineNanos) throws IOException {
        InputStream in = socket.getInputStream();
        byte[] bytes = new byte[LONGEST_ANSWER];
        int length = 0;
        while (length < bytes.length) {
            socket.setSoTimeout(millisUntil(deadlineNanos));
            int read = in.read(bytes, length, bytes.length - length);
            if (read < 0) {
                break;
            }
            length += read;
        }
        return new String(bytes, 0, length, StandardCharsets.UTF_8);
    }

    /** Never zero, which would mean no time limit. */
    private int millisUntil(long deadlineNanos) {
        return (int) Math.max(1, (deadlineNanos - ticker.nanos()) / 1_000_000);
    }

    private Answer understood(String response, UUID incarnation) {
        int begin = response.indexOf('{');
        int end = response.lastIndexOf('}');
        if (begin < 0 || end < begin) {
            return Answer.NONE;
        }
        try {
            String answered = PeerJson.read(response.substring(begin, end + 1))
                    .path("incarnation")
                    .asText();
            return answered.equals(incarnation.toString())
                    ? Answer.SAME
                    : answered.isEmpty() ? Answer.NONE : Answer.ANOTHER;
        } catch (JsonProcessingException e) {
            return Answer.NONE;
        }
    }
}
