package io.twinbell.tools.bench;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.twinbell.tools.check.history.ReceivedCall;
import io.twinbell.tools.client.NodeException;
import io.twinbell.tools.drill.receiver.ReceiverProcess;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import org.HdrHistogram.Histogram;

/**
 * Measures HTTP callbacks to a receiver on this machine: their lateness at a steady rate, and the throughput of a burst
 * compared with a bare client that calls the same receiver in the same run.
 *
 * @param perSecond the steady rate
 * @param seconds how long the steady rate lasts
 * @param burst the number of tasks due at one instant, and of the bare client's calls
 */
public record CallWorkload(int perSecond, int seconds, int burst) implements Workload {
    private static final int IN_FLIGHT = 256;
    private static final int DIGITS = 3;

    @Override
    public String title() {
        return "http: " + perSecond + " calls per second for " + seconds + " s, and " + burst + " at once";
    }

    @Override
    public Span run(BenchSite site, BenchResults results) throws NodeException, BenchException, IOException {
        Path folder = Files.createTempDirectory("twinbell-bench");
        Path log = folder.resolve("calls");
        try (ReceiverProcess receiver = ReceiverProcess.start(log, "127.0.0.1")) {
            var handler =
                    JsonNodeFactory.instance.objectNode().put("type", "http").put("url", receiver.url() + "/0");
            TaskLoader taskLoader = new TaskLoader(site, handler);
            BenchPlan steady = steady(site);
            Measurement.of(site, steady, taskLoader, results);
            arrivals(receiver, steady, results);
            double bare = bare(site, receiver.url() + "/0");
            BenchSite second = site.besides();
            BenchPlan at = new BenchPlan.OneShots(TaskLoader.startFor(site, burst, 0), burst, 0);
            BenchResults ofBurst = new BenchResults();
            try {
                Measurement.Result result = Measurement.of(second, at, new TaskLoader(second, handler), ofBurst);
                double called = result.check().succeeded() * 1000.0 / result.durableMillis();
                results.add("calls", "called at once", called, "calls/s");
                results.add("bareClientCalls", "bare JDK HttpClient, " + IN_FLIGHT + " in flight", bare, "calls/s");
                results.add("shareOfBareClient", "of the bare client's rate", 100 * called / bare, "%");
                ofBurst.problems().forEach(results::problem);
            } finally {
                second.clear(at.firstMillis(), at.lastMillis());
            }
            return Span.of(steady);
        } finally {
            Files.deleteIfExists(log);
            Files.deleteIfExists(folder);
        }
    }

    private BenchPlan steady(BenchSite site) throws IOException {
        int tasks = Math.multiplyExact(perSecond, seconds);
        return new BenchPlan.OneShots(TaskLoader.startFor(site, tasks, 0), tasks, perSecond);
    }

    /** Measures arrivals by this machine's clock. It does so only if the database runs on this machine too. */
    private static void arrivals(ReceiverProcess receiver, BenchPlan plan, BenchResults results) throws IOException {
        Histogram micros = new Histogram(DIGITS);
        long early = 0;
        for (ReceivedCall call : receiver.calls()) {
            micros.recordValue(Math.max(0, call.latenessMicros()));
            early += call.latenessMicros() < 0 ? 1 : 0;
        }
        results.add("callsArrived", "calls that arrived", micros.getTotalCount(), "");
        results.add("arrival", "arrival after the fire time", micros, 0.001, "ms");
        results.note("arrivals are measured by this machine's clock, which must equal the database's clock");
        if (micros.getTotalCount() != plan.slots()) {
            results.problem("the receiver saw " + micros.getTotalCount() + " of " + plan.slots() + " calls");
        }
        if (early > 0) {
            results.problem(early + " calls arrived before their fire time, or the clocks differ");
        }
    }

    /** Measures the bare client: calls with the same headers, a fixed number of them in flight. */
    private double bare(BenchSite site, String url) throws BenchException {
        site.print("calling with a bare client");
        HttpClient client =
                HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
        Semaphore room = new Semaphore(IN_FLIGHT);
        AtomicInteger failed = new AtomicInteger();
        long start = site.clock().nanos();
        for (int i = 0; i < burst; i++) {
            String instant = BenchPlan.text(i);
            HttpRequest request = HttpRequest.newBuilder(URI.create(url))
                    .header("Idempotency-Key", "0/" + instant)
                    .header("Twinbell-Attempt", "1")
                    .header("Twinbell-Epoch", "0")
                    .header("Twinbell-Fire-Time", instant)
                    .header("Twinbell-Task", "0")
                    .build();
            acquire(room, 1);
            client.sendAsync(request, BodyHandlers.discarding()).whenComplete((answer, thrown) -> {
                failed.addAndGet(thrown != null || answer.statusCode() != 200 ? 1 : 0);
                room.release();
            });
        }
        acquire(room, IN_FLIGHT);
        double rate = burst * 1e9 / site.clock().since(start).toNanos();
        if (failed.get() > 0) {
            throw new BenchException(failed.get() + " calls of the bare client failed");
        }
        return rate;
    }

    private static void acquire(Semaphore room, int permits) throws BenchException {
        try {
            room.acquire(permits);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new BenchException("aborted");
        }
    }
}
