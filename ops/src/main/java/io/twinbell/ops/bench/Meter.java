package io.twinbell.ops.bench;

import io.twinbell.ops.bench.database.BenchDatabase;
import io.twinbell.ops.bench.database.Counters;
import java.io.IOException;
import java.time.Duration;

/** What a stretch of work costs: log and commits of the server, processor time of the master's process. */
final class Meter {
    private static final Duration STATISTICS_LAG = Duration.ofMillis(1100);
    private static final double MICROS = 1000;
    private static final double BILLION = 1e9;

    private final Site site;
    private final String jmx;
    private Counters counters;
    private long cpuNanos;
    private long startNanos;

    private Meter(Site site, String jmx) {
        this.site = site;
        this.jmx = jmx;
    }

    static Meter start(Site site, Figures figures) throws BenchException, IOException {
        Meter meter = new Meter(site, site.master().jmx());
        if (site.database().isPresent()) {
            site.rest(STATISTICS_LAG);
            meter.counters = site.database().get().counters();
        } else {
            figures.note("log and commits were not measured: the database is not known (--database)");
        }
        try {
            meter.cpuNanos = meter.cpuNanos();
        } catch (IOException e) {
            meter.cpuNanos = -1;
            figures.note("processor time was not measured: the master does not answer over JMX");
        }
        meter.startNanos = site.pace().nanos();
        return meter;
    }

    private long cpuNanos() throws IOException {
        try (MasterBeans beans = MasterBeans.at(jmx)) {
            return beans.cpuNanos();
        }
    }

    /** To be called once the work is done. */
    void stop(Figures figures, long slots) throws BenchException, IOException {
        long elapsed = site.pace().nanos() - startNanos;
        if (cpuNanos >= 0) {
            long used = cpuNanos() - cpuNanos;
            figures.add("CPU of the master a slot", used / MICROS / slots, "us");
            figures.add("CPU of the master", 100.0 * used / elapsed, "% of a core");
        }
        if (counters != null) {
            site.rest(STATISTICS_LAG);
            BenchDatabase database = site.database().orElseThrow();
            Counters done = database.counters().since(counters);
            figures.add("WAL a slot", (double) done.walBytes() / slots, "bytes");
            figures.add("commits a slot", (double) done.commits() / slots, "");
        }
        figures.add("measured for", elapsed / BILLION, "s");
    }
}
