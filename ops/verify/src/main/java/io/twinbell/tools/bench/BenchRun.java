package io.twinbell.tools.bench;

import io.twinbell.tools.bench.database.BenchDatabase;
import io.twinbell.tools.client.NodeException;
import java.io.IOException;
import java.net.URI;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;

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
        Map<String, String> environment = BenchEnvironment.of(site);
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
}
