package io.twinbell.node.handler.http;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * A forward proxy: tunnels CONNECT, and forwards http requests with an absolute URL. It resolves every name as this
 * machine.
 */
final class ForwardProxy implements AutoCloseable {
    private final ServerSocket listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final List<String> requests = new CopyOnWriteArrayList<>();
    private final List<Socket> sockets = new CopyOnWriteArrayList<>();
    private final String login;
    private final int refusal;

    /**
     * @param login the expected value of Proxy-Authorization; null to ask for none
     * @param refusal the status that answers every request; 0 to forward them
     */
    ForwardProxy(String login, int refusal) throws IOException {
        this.login = login;
        this.refusal = refusal;
        threads.submit(() -> {
            while (true) {
                Socket client = listener.accept();
                sockets.add(client);
                threads.submit(() -> {
                    serve(client);
                    return null;
                });
            }
        });
    }

    int port() {
        return listener.getLocalPort();
    }

    /** The first line of each request, and its login. */
    List<String> requests() {
        return requests;
    }

    private void serve(Socket client) throws IOException {
        InputStream in = new BufferedInputStream(client.getInputStream());
        while (true) {
            String head = head(in);
            if (head.isEmpty()) {
                client.close();
                return;
            }
            String line = head.lines().findFirst().orElse("");
            Optional<String> given = header(head, "proxy-authorization");
            requests.add(line + given.map(value -> " " + value).orElse(""));
            if (login != null && !given.equals(Optional.of(login))) {
                answer(client, "407 Proxy Authentication Required\r\nProxy-Authenticate: Basic realm=\"p\"");
            } else if (refusal != 0) {
                answer(client, refusal + " No");
            } else if (line.startsWith("CONNECT ")) {
                String authority = line.split(" ")[1];
                Socket receiver = connect(Integer.parseInt(authority.substring(authority.lastIndexOf(':') + 1)));
                answer(client, null);
                copy(in, receiver);
                receiver.getInputStream().transferTo(client.getOutputStream());
                client.close();
                return;
            } else {
                forward(client, head);
            }
        }
    }

    private void forward(Socket client, String head) throws IOException {
        URI url = URI.create(head.split(" ")[1]);
        Socket receiver = connect(url.getPort());
        String own = head.replaceFirst("http://[^/ ]+", "").replaceAll("(?im)^(connection|proxy-.*):.*\r\n", "")
                + "Connection: close\r\n\r\n";
        receiver.getOutputStream().write(own.getBytes(StandardCharsets.ISO_8859_1));
        receiver.getInputStream().transferTo(client.getOutputStream());
        client.close();
    }

    private Socket connect(int port) throws IOException {
        Socket receiver = new Socket(InetAddress.getLoopbackAddress(), port);
        sockets.add(receiver);
        return receiver;
    }

    private void copy(InputStream from, Socket to) {
        threads.submit(() -> {
            from.transferTo(to.getOutputStream());
            to.close();
            return null;
        });
    }

    private static void answer(Socket client, String status) throws IOException {
        String head = status == null
                ? "HTTP/1.1 200 Connection established\r\n\r\n"
                : "HTTP/1.1 " + status + "\r\nContent-Length: 0\r\n\r\n";
        client.getOutputStream().write(head.getBytes(StandardCharsets.ISO_8859_1));
    }

    private static Optional<String> header(String head, String name) {
        return head.lines()
                .filter(line -> line.toLowerCase(Locale.ROOT).startsWith(name + ":"))
                .map(line -> line.substring(name.length() + 1).strip())
                .findFirst();
    }

    /** Reads the head of a request without its empty line; empty at the end of the stream. */
    private static String head(InputStream in) throws IOException {
        ByteArrayOutputStream head = new ByteArrayOutputStream();
        for (int next = in.read(); next >= 0; next = in.read()) {
            head.write(next);
            String text = head.toString(StandardCharsets.ISO_8859_1);
            if (text.endsWith("\r\n\r\n")) {
                return text.substring(0, text.length() - 2);
            }
        }
        return "";
    }

    @Override
    public void close() {
        threads.shutdownNow();
        try {
            listener.close();
            for (Socket socket : sockets) {
                socket.close();
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
