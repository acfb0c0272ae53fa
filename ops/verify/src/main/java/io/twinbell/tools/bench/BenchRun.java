package io.twinbell.tools.bench;

import com.fasterxml.jackson.databind.JsonNode;
import io.twinbell.tools.bench.database.BenchDatabase;
import io.twinbell.tools.client.NodeException;
import io.twinbell.tools.client.NodeStatus;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.OperatingSystemMXBean;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.stream.Stream;

/** Runs workloads on a pair and removes everything that they created. */
public final class BenchRun {
    /** Upper bound for the plan, before and after its begin, of a run that was broken off. */
    private static final long LONGEST_PLAN_MILLIS = 86_400_000;

    private final List<URI> addresses;
    private final Optional<BenchDatabase> database;
    private final Consumer<String> progress;

    /** @param progress receives progress messages */
    public BenchRun(List<URI> addresses, Optional<BenchDatabase> database, Consumer<String> progress) {
        this.addresses = addresses;
        this.database = database;
        this.progress = progress;
    }

    /**
     * Runs a workload in an app of its own. The app is removed however the run ends, also if the thread is interrupted.
     */
    public BenchReport run(Workload workload) throws NodeException, BenchException, IOException {
        BenchSite site = new BenchSite(addresses, database, progress);
        Map<String, String> environment = environment(site);
        BenchResults results = new BenchResults();
        progress.accept(workload.title() + ", app " + site.app());
        long begun = site.nowMillis() + site.aheadMillis();
        Workload.Span span = null;
        try {
            span = workload.run(site, results);
        } finally {
            long until = site.nowMillis();
            clear(
                    site,
                    span == null ? begun - LONGEST_PLAN_MILLIS : Math.min(begun, span.fromMillis()),
                    span == null ? until + LONGEST_PLAN_MILLIS : Math.max(until, span.untilMillis()));
        }
        if (database.isEmpty()) {
            results.note("executions of app " + site.app()
                    + " stay in the ledger for retention.executions, because only the owner of the database can"
                    + " remove them");
        }
        return new BenchReport(workload.title(), environment, results);
    }

    /** Removes the run's data. It prints its own failure, so that the cause of a failed run is still reported. */
    private void clear(BenchSite site, long fromMillis, long untilMillis) {
        boolean wasInterrupted = Thread.interrupted();
        progress.accept("removing the tasks and rows of the run");
        try {
            site.clear(fromMillis, untilMillis);
        } catch (NodeException | BenchException | IOException e) {
            progress.accept("app " + site.app() + " could not be removed: " + e.getMessage());
        }
        if (wasInterrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /**
     * Describes the machine and the software of a measurement; without it the figures mean nothing. The load is that
     * before the run.
     */
    private static Map<String, String> environment(BenchSite site) throws NodeException, BenchException, IOException {
        Map<String, String> environment = new LinkedHashMap<>();
        OperatingSystemMXBean system = ManagementFactory.getOperatingSystemMXBean();
        environment.put(
                "machine",
                system.getAvailableProcessors() + " x " + processor() + ", " + system.getName() + " "
                        + system.getVersion());
        double load = system.getSystemLoadAverage();
        // The JVM reports a negative number if the system does not provide its load.
        environment.put("loadAverage", load < 0 ? "unknown" : String.format(Locale.ROOT, "%.2f", load));
        NodeStatus master = site.master();
        JsonNode self = site.client(master).get("/api/v1/cluster/self");
        environment.put(
                "twinbell",
                self.path("version").asText() + ", schema "
                        + self.path("schema").asText() + ", "
                        + self.path("workers").path("size").asText() + " workers, master " + master.id());
        try (MasterBeans beans = new MasterBeans(master)) {
            environment.put("jvm", beans.jvm());
        } catch (IOException e) {
            environment.put("jvm", "unknown: no response over JMX");
        }
        environment.put("postgresql", site.database().isEmpty() ? "unknown (--database)" : settings(site));
        return environment;
    }

    private static String settings(BenchSite site) throws IOException {
        StringBuilder text = new StringBuilder();
        site.database().orElseThrow().settings().forEach((name, value) -> {
            text.append(text.isEmpty() ? "" : ", ").append(name.equals("server_version") ? "" : name + " ");
            text.append(value);
        });
        return text.toString();
    }

    /** The processor as Linux names it; the architecture on other systems. */
    private static String processor() {
        try (Stream<String> lines = Files.lines(Path.of("/proc/cpuinfo"))) {
            return lines.filter(line -> line.startsWith("model name"))
                    .map(line -> line.substring(line.indexOf(':') + 1).strip())
                    .findFirst()
                    .orElseGet(() -> System.getProperty("os.arch"));
        } catch (IOException e) {
            return System.getProperty("os.arch");
        }
    }
}
