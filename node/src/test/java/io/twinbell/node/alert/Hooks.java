package io.twinbell.node.alert;

import com.fasterxml.jackson.databind.JsonNode;
import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.twinbell.node.json.StrictJson;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** A real receiver of webhooks. It keeps every request, and gives the prepared answers in order, and 200 after them. */
public final class Hooks implements AutoCloseable {
    private final ExecutorService serving = Executors.newCachedThreadPool();
    private final CountDownLatch over = new CountDownLatch(1);
    private final HttpServer server;
    public final List<Call> calls = new CopyOnWriteArrayList<>();
    private final Deque<Answer> answers = new ConcurrentLinkedDeque<>();
    private volatile Answer otherwise = answered(200, "");

    /** One request. */
    public record Call(String method, String path, Headers headers, String body) {
        JsonNode json() {
            return StrictJson.readStored(body);
        }

        public String key() {
            return headers.getFirst("Idempotency-Key");
        }

        public String attempt() {
            return headers.getFirst("Twinbell-Attempt");
        }
    }

    /** How a request is answered, if at all. */
    @FunctionalInterface
    public interface Answer {
        void to(HttpExchange exchange) throws IOException;
    }

    public Hooks() {
        try {
            server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 100);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        server.setExecutor(serving);
        server.createContext("/", exchange -> {
            String body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
            Headers headers = new Headers();
            headers.putAll(exchange.getRequestHeaders());
            calls.add(new Call(
                    exchange.getRequestMethod(), exchange.getRequestURI().toString(), headers, body));
            Answer answer = answers.poll();
            (answer == null ? otherwise : answer).to(exchange);
        });
        server.start();
    }

    public static Answer answered(int status, String text) {
        return exchange -> {
            byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(status, bytes.length == 0 ? -1 : bytes.length);
            exchange.getResponseBody().write(bytes);
            exchange.close();
        };
    }

    /** Closes the connection in the middle of an answer. */
    static Answer brokenOff() {
        return exchange -> {
            exchange.sendResponseHeaders(200, 1000);
            exchange.getResponseBody().write('x');
            exchange.getResponseBody().flush();
            throw new IOException("broken off on purpose");
        };
    }

    Answer never() {
        return exchange -> {
            try {
                over.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        };
    }

    void next(Answer... answer) {
        answers.addAll(List.of(answer));
    }

    public void always(Answer answer) {
        otherwise = answer;
    }

    public String url() {
        return "http://127.0.0.1:" + server.getAddress().getPort();
    }

    @Override
    public void close() {
        over.countDown();
        server.stop(0);
        serving.shutdownNow();
    }
}
