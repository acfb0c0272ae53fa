package io.twinbell.tools.bench;

import io.twinbell.tools.bench.database.BenchDatabase;
import io.twinbell.tools.client.NodeStatus;
import java.io.IOException;
import java.time.Duration;

/** Measures the cost of a workload: the server's write-ahead log and commits, and the master's processor time. */
final class ResourceMeter {
    private static final Duration STATISTICS_LAG = Duration.ofMillis(1100);
    private static final double MICROS = 1000;
    private static final double BILLION = 1e9;

    private final BenchSite site;
    private final NodeStatus master;
    private BenchDatabase.ServerCounters counters;
    private long cpuNanos;
    private long startNanos;

    private ResourceMeter(BenchSite site, NodeStatus master) {
        this.site = site;
        this.master = master;
    }

    static ResourceMeter start(BenchSite site, BenchResults results) throws BenchException, IOException {
        ResourceMeter meter = new ResourceMeter(site, site.master());
        if (site.database().isPresent()) {
            site.sleep(STATISTICS_LAG);
            meter.counters = site.database().get().counters();
        } else {
            results.note("WAL and commits were not measured: the database is unknown (--database)");
        }
        try {
            meter.cpuNanos = meter.cpuNanos();
        } catch (IOException e) {
            meter.cpuNanos = -1;
            results.note("CPU time was not measured: the master does not answer over JMX");
        }
        meter.startNanos = site.clock().nanos();
        return meter;
    }

    private long cpuNanos() throws IOException {
        try (MasterBeans beans = new MasterBeans(master)) {
            return beans.cpuNanos();
        }
    }

    /** Must be called once the work is done. */
    void stop(BenchResults results, long slots) throws BenchException, IOException {
        long elapsed = site.clock().nanos() - startNanos;
        if (cpuNanos >= 0) {
            long used = cpuNanos() - cpuNanos;
            results.add("masterCpuPerSlot", "CPU of the master per slot", used / MICROS / slots, "us");
            results.add("masterCpu", "CPU of the master", 100.0 * used / elapsed, "% of a core");
        }
        if (counters != null) {
            site.sleep(STATISTICS_LAG);
            BenchDatabase database = site.database().orElseThrow();
            BenchDatabase.ServerCounters done = database.counters().since(counters);
            results.add("walPerSlot", "WAL per slot", (double) done.walBytes() / slots, "bytes");
            results.add("commitsPerSlot", "commits per slot", (double) done.commits() / slots, "");
        }
        results.add("duration", "duration of the measurement", elapsed / BILLION, "s");
    }
}
