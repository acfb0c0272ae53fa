package io.twinbell.node.pair;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/** A process that attacks a node's API in one way until it is killed. It prints a line when the attack has begun. */
final class HostileClient {
    /** A way to attack. */
    enum Attack {
        /** Requests that never end, whose headers arrive byte by byte. */
        SLOW_HEADERS(300, 300, true),
        /** Requests whose bodies arrive byte by byte. */
        SLOW_BODIES(200, 200, true),
        /** Clients that read their large answers byte by byte. */
        SLOW_READERS(100, 100, true),
        /** Connections that send nothing. */
        IDLE_CONNECTIONS(1500, 1500, true),
        /** Headers without end. */
        LARGE_HEADERS(8, 50, false),
        /** Subscribers of the stream that never read. */
        DEAF_SUBSCRIBERS(100, 100, true),
        /** As many requests as possible, without a token. */
        FLOOD(16, 1000, false),
        /** As many requests as possible, with a token. */
        FLOOD_WITH_TOKEN(16, 1000, false),
        /** As many connections as possible, each with three requests with unknown tokens and nobody who reads. */
        UNKNOWN_TOKENS(16, 5000, false),
        /** As many connections as possible, without a request. */
        NEW_CONNECTIONS(16, 5000, false);

        private final int clients;
        private final int begunAfter;
        private final boolean holdsConnections;

        /** @param begunAfter connections or requests after which the attack has begun */
        Attack(int clients, int begunAfter, boolean holdsConnections) {
            this.clients = clients;
            this.begunAfter = begunAfter;
            this.holdsConnections = holdsConnections;
        }
    }

    /** The answers that one slow reader wants: more than fits into the buffers of the connection. */
    private static final int ANSWERS = 40;

    private final Attack attack;
    private final int port;
    private final String token;
    private final AtomicLong done = new AtomicLong();
    private final List<Socket> held = new ArrayList<>();
    private int next;

    private HostileClient(Attack attack, int port, String token) {
        this.attack = attack;
        this.port = port;
        this.token = token;
    }

    public static void main(String[] arguments) throws IOException {
        HostileClient client =
                new HostileClient(Attack.valueOf(arguments[0]), Integer.parseInt(arguments[1]), arguments[2]);
        if (client.attack.holdsConnections) {
            client.hold();
        } else {
            for (int i = 0; i < client.attack.clients; i++) {
                new Thread(client::repeat, "client-" + i).start();
            }
        }
    }

    /** Returns the process once its attack has begun. */
    static Process start(Attack attack, int port, String token) throws IOException {
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Xmx64m",
                        "-cp",
                        System.getProperty("java.class.path"),
                        HostileClient.class.getName(),
                        attack.name(),
                        Integer.toString(port),
                        token)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        if (process.getInputStream().read() < 0) {
            throw new IOException(
                    attack + " ended with " + process.onExit().join().exitValue());
        }
        return process;
    }

    private Socket connect() throws IOException {
        return new Socket(InetAddress.getLoopbackAddress(), port);
    }

    /** Looks at a connection each millisecond, and replaces those that the node has closed. */
    private void hold() throws IOException {
        while (held.size() < attack.clients) {
            held.add(begun());
            count();
        }
        Executors.newSingleThreadScheduledExecutor().scheduleAtFixedRate(this::lookAtNext, 0, 1, TimeUnit.MILLISECONDS);
    }

    private Socket begun() throws IOException {
        Socket socket = connect();
        socket.getOutputStream().write(start().getBytes(StandardCharsets.US_ASCII));
        return socket;
    }

    private String start() {
        return switch (attack) {
            case DEAF_SUBSCRIBERS -> request("/api/v1/executions/stream");
            case SLOW_READERS -> request("/openapi.json").repeat(ANSWERS);
            case SLOW_BODIES ->
                request("/api/v1/schedules/preview")
                        .replaceFirst("GET", "POST")
                        .replaceFirst("\r\n", "\r\nContent-Type: application/json\r\nContent-Length: 10000\r\n");
            default -> "";
        };
    }

    private void lookAtNext() {
        next = (next + 1) % held.size();
        Socket socket = held.get(next);
        try {
            if (isClosed(socket)) {
                socket.close();
                held.set(next, begun());
            }
        } catch (IOException e) {
            held.set(next, new Socket());
        }
    }

    private boolean isClosed(Socket socket) {
        try {
            if (attack == Attack.IDLE_CONNECTIONS || attack == Attack.SLOW_READERS) {
                socket.setSoTimeout(1);
                return socket.getInputStream().read() < 0;
            }
            socket.getOutputStream().write(attack == Attack.DEAF_SUBSCRIBERS ? '\n' : 'G');
            return false;
        } catch (SocketTimeoutException e) {
            return false;
        } catch (IOException e) {
            return true;
        }
    }

    private void repeat() {
        while (true) {
            try (Socket socket = connect()) {
                switch (attack) {
                    case LARGE_HEADERS -> sendHeaders(socket.getOutputStream());
                    case UNKNOWN_TOKENS -> {
                        String unknown = request("/api/v1/tasks").replace(token, "tb_" + UUID.randomUUID());
                        socket.getOutputStream().write(unknown.repeat(3).getBytes(StandardCharsets.US_ASCII));
                        count();
                    }
                    case NEW_CONNECTIONS -> count();
                    default -> flood(socket);
                }
            } catch (IOException e) {
                // The node has closed the connection: the next one follows.
                count();
            }
        }
    }

    private void count() {
        if (done.incrementAndGet() == attack.begunAfter) {
            System.out.println("begun");
            System.out.flush();
        }
    }

    private String request(String path) {
        return "GET " + path + " HTTP/1.1\r\nHost: localhost\r\n"
                + (attack == Attack.FLOOD ? "" : "Authorization: Bearer " + token + "\r\n") + "\r\n";
    }

    private static void sendHeaders(OutputStream out) throws IOException {
        out.write("GET /api/v1/tasks HTTP/1.1\r\nHost: localhost\r\n".getBytes(StandardCharsets.US_ASCII));
        byte[] header = ("X-Long: " + "x".repeat(1000) + "\r\n").getBytes(StandardCharsets.US_ASCII);
        while (true) {
            out.write(header);
        }
    }

    private void flood(Socket socket) throws IOException {
        byte[] request = request("/api/v1/tasks?limit=1").getBytes(StandardCharsets.US_ASCII);
        byte[] answer = new byte[64 * 1024];
        InputStream in = socket.getInputStream();
        while (true) {
            socket.getOutputStream().write(request);
            if (in.read(answer) < 0) {
                return;
            }
            count();
        }
    }
}
