package io.twinbell.lab.fault;

import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.util.HashSet;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * Receiver of calls whose outcome is posted later. It remembers each call, and answers 202, or 200 if the call has no
 * callback. A first attempt whose path begins with {@code /keep/} gets no answer.
 */
public final class CallbackReceiver implements AutoCloseable {
    private static final int BACKLOG = 1024;
    private static final int OK = 200;
    private static final int ACCEPTED = 202;
    private static final int BAD_REQUEST = 400;
    private static final int NO_BODY = -1;
    private static final String KEEP = "/keep/";

    private final HttpServer server;
    private final Queue<AcceptedCall> calls = new ConcurrentLinkedQueue<>();
    /** Unanswered calls, kept so that their connections stay open. */
    private final Queue<HttpExchange> kept = new ConcurrentLinkedQueue<>();

    /**
     * A call that the receiver has got.
     *
     * @param number the number that the path ends with
     * @param callbackPath where its outcome is posted, at either node; null if the answer is the outcome
     * @param heartbeatPath where its heartbeats are posted
     * @param checkpoint JSON; null if the call had none
     */
    public record AcceptedCall(
            String key,
            int attempt,
            int number,
            String callbackPath,
            String heartbeatPath,
            String token,
            String checkpoint) {}

    private CallbackReceiver(HttpServer server) {
        this.server = server;
    }

    /** Starts a receiver on a free port of an address of this machine. */
    public static CallbackReceiver start(String host) throws IOException {
        HttpServer server = HttpServer.create(new InetSocketAddress(host, 0), BACKLOG);
        CallbackReceiver receiver = new CallbackReceiver(server);
        server.createContext("/", receiver::take);
        server.start();
        return receiver;
    }

    /** Calls to this URL are answered at once. */
    public String url(int number) {
        return base() + "/accept/" + number;
    }

    /** The first attempt that calls this URL gets no answer. */
    public String keepingUrl(int number) {
        return base() + KEEP + number;
    }

    private String base() {
        return "http://" + server.getAddress().getAddress().getHostAddress() + ":"
                + server.getAddress().getPort();
    }

    /** Every call so far, in the order of arrival. */
    public List<AcceptedCall> calls() {
        return List.copyOf(calls);
    }

    /** The keys and numbers of the attempts that were called more than once. A sound pair has none. */
    public List<String> repeatedAttempts() {
        Set<String> attempts = new HashSet<>();
        return calls.stream()
                .map(call -> call.key() + " " + call.attempt())
                .filter(attempt -> !attempts.add(attempt))
                .toList();
    }

    private void take(HttpExchange exchange) throws IOException {
        exchange.getRequestBody().readAllBytes();
        String path = exchange.getRequestURI().getPath();
        AcceptedCall call;
        try {
            call = read(exchange.getRequestHeaders(), Integer.parseInt(path.substring(path.lastIndexOf('/') + 1)));
        } catch (IllegalArgumentException | NullPointerException notACallback) {
            exchange.sendResponseHeaders(BAD_REQUEST, NO_BODY);
            exchange.close();
            return;
        }
        calls.add(call);
        if (call.attempt() == 1 && path.startsWith(KEEP)) {
            kept.add(exchange);
            return;
        }
        exchange.sendResponseHeaders(call.callbackPath() == null ? OK : ACCEPTED, NO_BODY);
        exchange.close();
    }

    private static AcceptedCall read(Headers headers, int number) {
        return new AcceptedCall(
                headers.getFirst("Idempotency-Key"),
                Integer.parseInt(headers.getFirst("Twinbell-Attempt")),
                number,
                path(headers.getFirst("Twinbell-Callback")),
                path(headers.getFirst("Twinbell-Heartbeat")),
                headers.getFirst("Twinbell-Callback-Token"),
                headers.getFirst("Twinbell-Checkpoint"));
    }

    /** The path of a list of URLs, which differ in their nodes only. */
    private static String path(String urls) {
        return urls == null ? null : URI.create(urls.split(", ")[0]).getPath();
    }

    @Override
    public void close() {
        kept.forEach(HttpExchange::close);
        server.stop(0);
    }
}
