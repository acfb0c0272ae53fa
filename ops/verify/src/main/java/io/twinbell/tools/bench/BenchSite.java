package io.twinbell.tools.bench;

import com.fasterxml.jackson.databind.JsonNode;
import io.twinbell.tools.bench.database.BenchDatabase;
import io.twinbell.tools.bench.database.TimedRow;
import io.twinbell.tools.check.history.LedgerRow;
import io.twinbell.tools.client.CommandClock;
import io.twinbell.tools.client.NodeClient;
import io.twinbell.tools.client.NodeException;
import io.twinbell.tools.client.NodeStatus;
import io.twinbell.tools.client.PairSnapshot;
import io.twinbell.tools.verify.NodeAnswers;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.function.Consumer;

/** The pair to measure, with a separate app for each run. */
public final class BenchSite {
    /** Prefix of the apps of all measurements. */
    public static final String APP_PREFIX = "bench-";

    private static final Duration LIMIT = Duration.ofSeconds(120);
    private static final int PAGE = 1000;

    private final List<URI> addresses;
    private final Optional<BenchDatabase> database;
    private final CommandClock clock = new CommandClock();
    private final Consumer<String> progress;
    private final String app = APP_PREFIX + Long.toHexString(new SplittableRandom().nextLong() >>> 32);

    /** @param progress receives progress messages */
    public BenchSite(List<URI> addresses, Optional<BenchDatabase> database, Consumer<String> progress) {
        this.addresses = addresses;
        this.database = database;
        this.progress = progress;
    }

    /** The same pair with another app. */
    BenchSite besides() {
        return new BenchSite(addresses, database, progress);
    }

    String app() {
        return app;
    }

    CommandClock clock() {
        return clock;
    }

    Optional<BenchDatabase> database() {
        return database;
    }

    void print(String what) {
        progress.accept(what);
    }

    /** The current master. */
    NodeStatus master() throws BenchException {
        return status().master()
                .orElseThrow(() -> new BenchException("there is not exactly one master, so nothing can be measured"));
    }

    PairSnapshot status() {
        return PairSnapshot.of(addresses);
    }

    NodeClient node() throws BenchException {
        return client(master());
    }

    NodeClient client(NodeStatus node) {
        return new NodeClient(URI.create(node.http()), LIMIT);
    }

    MetricsPage metrics() throws NodeException, BenchException {
        return MetricsPage.of(node().text("/metrics"));
    }

    /** This machine's clock. The database's clock is ahead of it by {@link #aheadMillis()}. */
    long nowMillis() {
        return clock.wallMicros() / 1000;
    }

    /** How far the database's clock is ahead of this machine's; 0 if the database is not known. */
    long aheadMillis() throws IOException {
        return database.isPresent() ? database.get().nowMillis() - nowMillis() : 0;
    }

    /** Sleeps; Ctrl-C ends the run here. */
    void sleep(Duration time) throws BenchException {
        clock.sleep(time);
        requireGoingOn();
    }

    void requireGoingOn() throws BenchException {
        if (Thread.currentThread().isInterrupted()) {
            throw new BenchException("aborted");
        }
    }

    /** Whether an execution of the app has no outcome. */
    boolean hasUnfinished() throws NodeException, BenchException, IOException {
        if (database.isPresent()) {
            return database.get().hasUnfinished(app);
        }
        String path = "/api/v1/executions?app=" + app + "&state=PENDING,CLAIMED,RUNNING,RETRYING&limit=1";
        return !node().get(path).path("items").isEmpty();
    }

    /** Passes every ledger row of the app in a span, both ends included. */
    void rows(long fromMillis, long untilMillis, Consumer<TimedRow> to)
            throws NodeException, BenchException, IOException {
        if (database.isPresent()) {
            database.get().rows(app, fromMillis, untilMillis, to);
            return;
        }
        String path = "/api/v1/executions?app=" + app + "&from=" + BenchPlan.text(fromMillis) + "&until="
                + BenchPlan.text(untilMillis + 1) + "&brief=true&limit=" + PAGE;
        NodeClient node = node();
        String after = "";
        while (after != null) {
            requireGoingOn();
            JsonNode page = node.get(path + after);
            for (JsonNode item : page.path("items")) {
                LedgerRow row = NodeAnswers.row(item);
                if (row.slot().fireMillis() <= untilMillis) {
                    to.accept(TimedRow.ofMillis(row));
                }
            }
            after = page.hasNonNull("next") ? "&after=" + page.path("next").asText() : null;
        }
    }

    /**
     * Removes the app's tasks and, if the database is known, its executions. Otherwise the executions stay until
     * {@code retention.executions}.
     */
    public void clear(long fromMillis, long untilMillis) throws NodeException, BenchException, IOException {
        if (database.isEmpty()) {
            node().delete("/api/v1/tasks?app=" + app);
            return;
        }
        while (database.get().removeSome(app) > 0) {
            // A thousand at a time, so that no other statement waits long.
        }
        database.get().forget(app, fromMillis, untilMillis);
    }

    /** The samples of {@code /metrics}, summed over labels by name. */
    record MetricsPage(Map<String, Double> samples) {
        static MetricsPage of(String text) {
            Map<String, Double> samples = new HashMap<>();
            for (String line : text.split("\n")) {
                int value = line.lastIndexOf(' ');
                if (!line.startsWith("#") && value > 0) {
                    int labels = line.indexOf('{');
                    String name = line.substring(0, labels < 0 ? value : labels);
                    samples.merge(name, Double.parseDouble(line.substring(value + 1)), Double::sum);
                }
            }
            return new MetricsPage(samples);
        }

        /** @throws BenchException if no sample has this name; reading 0 instead would measure nothing */
        double value(String name) throws BenchException {
            Double value = samples.get(name);
            if (value == null) {
                throw new BenchException("the node has no metric " + name);
            }
            return value;
        }

        /** Executions that ended in any way since the process started. */
        long ended() throws BenchException {
            return (long) value("twinbell_executions_total");
        }
    }
}
