package io.twinbell.node.api;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;

/** One request over a socket of its own, with headers that Java's HTTP client does not let a program set. */
final class RawRequest implements AutoCloseable {
    /** Shorter than the server's idle timeout of 30 s, which would otherwise end a connection in place of the rule under test. */
    private static final int LONGEST_WAIT_MILLIS = 20_000;

    private final Socket socket = new Socket();

    RawRequest(ApiFixture api) throws IOException {
        socket.connect(new InetSocketAddress("127.0.0.1", URI.create(api.url()).getPort()));
        socket.setSoTimeout(LONGEST_WAIT_MILLIS);
    }

    /** The whole answer as text, sent with {@code Connection: close}. */
    static String exchange(ApiFixture api, String method, String path, String... headers) throws IOException {
        try (RawRequest request = new RawRequest(api)) {
            request.write(method + " " + path + " HTTP/1.1\r\nConnection: close\r\n"
                    + String.join(
                            "",
                            java.util.Arrays.stream(headers)
                                    .map(line -> line + "\r\n")
                                    .toList()) + "\r\n");
            return request.answer();
        }
    }

    static int status(ApiFixture api, String method, String path, String... headers) throws IOException {
        return Integer.parseInt(exchange(api, method, path, headers).split(" ", 3)[1]);
    }

    void write(String text) throws IOException {
        socket.getOutputStream().write(text.getBytes(StandardCharsets.UTF_8));
    }

    /** Everything until the server closes the connection. */
    String answer() throws IOException {
        return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    }

    /** The status of the next answer. */
    int status() throws IOException {
        byte[] start = socket.getInputStream().readNBytes(12);
        return Integer.parseInt(new String(start, StandardCharsets.US_ASCII).split(" ")[1]);
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
