package io.twinbell.tools.cli;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;

/** The HTTP API of a node as far as the command line uses it, in any state that a test sets. */
public final class StubNode implements AutoCloseable {
    private final HttpServer server;
    private final String id;
    private final List<String> requests = new CopyOnWriteArrayList<>();
    private final List<String> callbackTokens = new CopyOnWriteArrayList<>();
    private volatile String role;
    private volatile long epoch;
    private volatile String history = "[]";
    private volatile String preview = "{}";
    private volatile Runnable onSwitchover = () -> {};
    private volatile String problem;
    private volatile String more = "";
    private volatile boolean unavailable;
    private final Map<String, String> answers = new ConcurrentHashMap<>();

    private StubNode(HttpServer server, String id, String role, long epoch) {
        this.server = server;
        this.id = id;
        this.role = role;
        this.epoch = epoch;
    }

    public static StubNode start(String id, String role, long epoch) {
        try {
            HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
            StubNode node = new StubNode(server, id, role, epoch);
            server.createContext("/", node::answer);
            server.start();
            return node;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    public String url() {
        return "http://127.0.0.1:" + server.getAddress().getPort();
    }

    /** Runs a command on this node. */
    public TypedCommand twinbell(List<String> command, String... arguments) {
        List<String> words = new ArrayList<>(command);
        words.addAll(List.of(arguments));
        words.addAll(List.of("--url", url()));
        return TypedCommand.twinbell(words.toArray(String[]::new));
    }

    /** Method, path and body of every request so far. */
    public List<String> requests() {
        return requests;
    }

    /** The callback tokens of the requests so far that had one. */
    public List<String> callbackTokens() {
        return callbackTokens;
    }

    void become(String newRole, long newEpoch) {
        epoch = newEpoch;
        role = newRole;
    }

    /** @param members further members of its own view, each with a comma before it */
    void alsoTells(String members) {
        more = members;
    }

    void tell(String newHistory) {
        history = newHistory;
    }

    public void tellPreview(String newPreview) {
        preview = newPreview;
    }

    public void onSwitchover(Runnable reaction) {
        onSwitchover = reaction;
    }

    /** Every write is answered with 409 and this problem+json. */
    public void refuse(String newProblem) {
        problem = newProblem;
    }

    /** Everything is answered with 503. */
    public void isUnavailable() {
        unavailable = true;
    }

    /** Sets the answer to requests of that path, unless they are refused. */
    public void answer(String path, String json) {
        answers.put(path, json);
    }

    /** Closes the listener and all connections, also that of the request that is being answered. */
    public void die() {
        server.stop(0);
    }

    @Override
    public void close() {
        server.stop(0);
    }

    private void answer(HttpExchange exchange) throws IOException {
        String body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
        requests.add(exchange.getRequestMethod() + " " + exchange.getRequestURI() + " " + body);
        callbackTokens.addAll(exchange.getRequestHeaders().getOrDefault("Twinbell-Callback-Token", List.of()));
        boolean write = !exchange.getRequestMethod().equals("GET");
        boolean refused = write && problem != null;
        if (write && !refused) {
            onSwitchover.run();
        }
        byte[] answer = (refused ? problem : view(exchange.getRequestURI().getPath())).getBytes(StandardCharsets.UTF_8);
        exchange.sendResponseHeaders(unavailable ? 503 : refused ? 409 : 200, answer.length);
        exchange.getResponseBody().write(answer);
        exchange.close();
    }

    private String view(String path) {
        if (answers.containsKey(path)) {
            return answers.get(path);
        }
        if (path.equals("/api/v1/cluster/self")) {
            return "{\"id\":\"%s\",\"role\":\"%s\",\"epoch\":%s,\"http\":\"%s\",\"jmx\":\"127.0.0.1:9081\"%s}"
                    .formatted(id, role, epoch, url(), more);
        }
        if (path.equals("/api/v1/schedules/preview")) {
            return preview;
        }
        return "{\"history\":" + history + "}";
    }
}
