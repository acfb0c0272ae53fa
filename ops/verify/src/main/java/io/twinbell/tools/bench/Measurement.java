package io.twinbell.tools.bench;

import io.twinbell.tools.client.NodeException;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;

/** Runs a plan, waits until its last slot is in the ledger, and checks the ledger against the plan. */
final class Measurement {
    private static final Duration LOOK = Duration.ofMillis(50);
    /** Poll interval while much is left to do: each poll takes 2 ms of the master's time, which is being measured. */
    private static final Duration DISTANT_LOOK = Duration.ofMillis(200);

    private static final Duration SLICE = Duration.ofMillis(200);
    private static final Duration STALLED = Duration.ofSeconds(10);
    private static final Duration BEFORE_THE_FIRST = Duration.ofMillis(1500);

    private final BenchSite site;
    private final BenchPlan plan;
    private final BenchResults results;
    private final long endedBefore;
    private final double missesBefore;
    private ResourceMeter meter;
    private long begunMillis;
    private long durableMillis;
    private boolean stoodStill;

    private Measurement(BenchSite site, BenchPlan plan, BenchResults results) throws NodeException, BenchException {
        this.site = site;
        this.plan = plan;
        this.results = results;
        endedBefore = site.metrics().ended();
        missesBefore = site.metrics().value("twinbell_heap_misses_total");
    }

    /**
     * @param check the check of the ledger
     * @param durableMillis from the beginning until everything was in the ledger
     */
    record Result(ResultCheck check, long durableMillis) {}

    /**
     * Creates the tasks, measures, and adds the figures common to all plans. The measurement begins at the first fire
     * time.
     */
    static Result of(BenchSite site, BenchPlan plan, TaskLoader taskLoader, BenchResults results)
            throws NodeException, BenchException, IOException {
        Measurement measurement = new Measurement(site, plan, results);
        long[] ids = taskLoader.fill(plan);
        measurement.sleepUntil(plan.firstMillis() - BEFORE_THE_FIRST.toMillis());
        measurement.startMeter();
        return measurement.end(ids, plan.firstMillis());
    }

    /** The same for tasks that are overdue. The measurement begins when the master can see them. */
    static Result ofOverdue(BenchSite site, BenchPlan.OneShots plan, TaskLoader taskLoader, BenchResults results)
            throws NodeException, BenchException, IOException {
        Measurement measurement = new Measurement(site, plan, results);
        AtomicLong begun = new AtomicLong();
        long[] ids = taskLoader.fillOverdue(plan, () -> {
            measurement.startMeter();
            begun.set(site.nowMillis() + site.aheadMillis());
        });
        return measurement.end(ids, begun.get());
    }

    private void startMeter() throws BenchException, IOException {
        meter = ResourceMeter.start(site, results);
        site.print("measuring");
    }

    private Result end(long[] ids, long sinceMillis) throws NodeException, BenchException, IOException {
        begunMillis = sinceMillis;
        ResultCheck check = awaitAll(ids);
        meter.stop(results, plan.slots());
        results.add("heapMisses", "heap misses", site.metrics().value("twinbell_heap_misses_total") - missesBefore, "");
        results.add(check);
        if (stoodStill) {
            results.problem("the master counted fewer ends than slots, so the duration is unknown");
        }
        return new Result(check, durableMillis);
    }

    private ResultCheck awaitAll(long[] ids) throws NodeException, BenchException, IOException {
        sleepUntil(plan.lastMillis() - SLICE.toMillis());
        long before = -1;
        while (true) {
            stoodStill = !awaitEnds();
            durableMillis = site.nowMillis() + site.aheadMillis() - begunMillis;
            ResultCheck check = new ResultCheck(plan, ids);
            site.rows(plan.firstMillis(), plan.lastMillis(), check::add);
            // Executions of other apps also count as ended, so the count may be reached before the last slot of this
            // run.
            if (check.succeeded() == plan.slots() || check.succeeded() == before) {
                return check;
            }
            before = check.succeeded();
            site.sleep(SLICE);
        }
    }

    private void sleepUntil(long millis) throws BenchException, IOException {
        long ahead = site.aheadMillis();
        while (site.nowMillis() + ahead < millis) {
            site.sleep(SLICE);
        }
    }

    /** Returns true once all executions have ended and are durable; false if nothing has ended for a while. */
    private boolean awaitEnds() throws NodeException, BenchException, IOException {
        long seen = -1;
        long since = site.clock().nanos();
        while (site.clock().since(since).compareTo(STALLED) < 0) {
            long ended = site.metrics().ended() - endedBefore;
            if (ended >= plan.slots() && !site.hasUnfinished()) {
                return true;
            }
            if (ended != seen) {
                seen = ended;
                since = site.clock().nanos();
            }
            site.sleep(ended < plan.slots() * 9 / 10 ? DISTANT_LOOK : LOOK);
        }
        return false;
    }
}
