package io.twinbell.tools.drill.receiver;

import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.twinbell.tools.check.history.CheckedSlot;
import io.twinbell.tools.check.history.ReceivedCall;
import io.twinbell.tools.client.CommandClock;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * HTTP server that a drill's tasks call. It logs every call before it answers. The path gives the simulated work in
 * milliseconds: {@code /5}. No thread waits for that work.
 */
final class CallReceiver implements AutoCloseable {
    private static final int BACKLOG = 4096;
    private static final int THREADS = 4;
    private static final int OK = 200;
    private static final int BAD_REQUEST = 400;
    private static final int NO_BODY = -1;
    private static final String WRITTEN = "2026-03-29T01:00:00.000Z";
    private static final int DECIMAL = 10;

    static {
        // By default the JDK's server delays answers (Nagle) and closes kept connections while callers use them.
        System.setProperty("sun.net.httpserver.nodelay", "true");
        System.setProperty("sun.net.httpserver.maxIdleConnections", "10000");
        System.setProperty("sun.net.httpserver.idleInterval", "3600");
    }

    private final HttpServer server;
    private final CallLog log;
    private final CommandClock clock = new CommandClock();
    private final ScheduledExecutorService threads = Executors.newScheduledThreadPool(THREADS);
    /** Unanswered calls: by task, the epoch of each. */
    private final Map<Long, List<Long>> unanswered = new ConcurrentHashMap<>();

    private CallReceiver(HttpServer server, CallLog log) {
        this.server = server;
        this.log = log;
    }

    /** Starts a receiver on a free port of an address of this machine. */
    static CallReceiver start(String host, Path logFile) throws IOException {
        HttpServer server = HttpServer.create(new InetSocketAddress(host, 0), BACKLOG);
        CallReceiver receiver = new CallReceiver(server, CallLog.append(logFile));
        server.createContext("/", receiver::take);
        server.setExecutor(receiver.threads);
        server.start();
        return receiver;
    }

    /** Prints its address, and serves until its standard input ends, so that it cannot outlive its parent. */
    public static void main(String[] arguments) throws IOException {
        try (CallReceiver receiver = start(arguments[0], Path.of(arguments[1]))) {
            System.out.println(receiver.url());
            while (System.in.read() >= 0) {
                // The pipe carries nothing; only its end matters.
            }
        }
    }

    String url() {
        return "http://" + server.getAddress().getAddress().getHostAddress() + ":"
                + server.getAddress().getPort();
    }

    private void take(HttpExchange exchange) throws IOException {
        long arrivedMicros = clock.wallMicros();
        exchange.getRequestBody().readAllBytes();
        try {
            ReceivedCall call = read(exchange.getRequestHeaders(), arrivedMicros);
            long work = Long.parseLong(exchange.getRequestURI().getPath().substring(1));
            log.add(beside(call, enter(call)));
            threads.schedule(() -> answer(exchange, call), work, TimeUnit.MILLISECONDS);
        } catch (DateTimeException | NumberFormatException | NullPointerException notFromATask) {
            exchange.sendResponseHeaders(BAD_REQUEST, NO_BODY);
            exchange.close();
        }
    }

    /** Registers the call; returns the epochs of the task's calls that were unanswered before. */
    private List<Long> enter(ReceivedCall call) {
        List<Long> all = unanswered.merge(call.slot().taskId(), List.of(call.epoch()), CallReceiver::with);
        return all.subList(0, all.size() - 1);
    }

    private static List<Long> with(List<Long> epochs, List<Long> another) {
        return Stream.concat(epochs.stream(), another.stream()).toList();
    }

    private static ReceivedCall beside(ReceivedCall call, List<Long> epochs) {
        List<Long> others =
                epochs.stream().filter(epoch -> epoch != call.epoch()).toList();
        return new ReceivedCall(call.slot(), call.attempt(), call.epoch(), call.arrivedMicros(), epochs.size(), others);
    }

    private static ReceivedCall read(Headers headers, long arrivedMicros) {
        long task = Long.parseLong(headers.getFirst("Twinbell-Task"));
        String fireTime = headers.getFirst("Twinbell-Fire-Time");
        if (!(task + "/" + fireTime).equals(headers.getFirst("Idempotency-Key"))) {
            throw new DateTimeException("the idempotency key does not match the slot");
        }
        return new ReceivedCall(
                new CheckedSlot(task, millis(fireTime)),
                Integer.parseInt(headers.getFirst("Twinbell-Attempt")),
                Long.parseLong(headers.getFirst("Twinbell-Epoch")),
                arrivedMicros,
                0);
    }

    /**
     * Parses by fixed positions. The JDK's formatter is so slow and allocates so much that thousands of calls would
     * wait behind it.
     */
    private static long millis(String fireTime) {
        if (fireTime.length() != WRITTEN.length()) {
            return Instant.parse(fireTime).toEpochMilli();
        }
        LocalDateTime time = LocalDateTime.of(
                Integer.parseInt(fireTime, 0, 4, DECIMAL),
                Integer.parseInt(fireTime, 5, 7, DECIMAL),
                Integer.parseInt(fireTime, 8, 10, DECIMAL),
                Integer.parseInt(fireTime, 11, 13, DECIMAL),
                Integer.parseInt(fireTime, 14, 16, DECIMAL),
                Integer.parseInt(fireTime, 17, 19, DECIMAL));
        return time.toEpochSecond(ZoneOffset.UTC) * 1000 + Integer.parseInt(fireTime, 20, 23, DECIMAL);
    }

    /** Unregisters the call before it answers: the caller's next call may follow at once. */
    private void answer(HttpExchange exchange, ReceivedCall call) {
        unanswered.computeIfPresent(call.slot().taskId(), (id, epochs) -> without(epochs, call.epoch()));
        try {
            exchange.sendResponseHeaders(OK, NO_BODY);
        } catch (IOException callerHasGone) {
            // The master was killed while it waited for the answer.
        } finally {
            exchange.close();
        }
    }

    private static List<Long> without(List<Long> epochs, long answered) {
        List<Long> others = new ArrayList<>(epochs);
        others.remove(answered);
        return others.isEmpty() ? null : List.copyOf(others);
    }

    @Override
    public void close() throws IOException {
        server.stop(0);
        threads.shutdownNow();
        log.close();
    }
}
