package io.twinbell.tools.bench;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.twinbell.tools.check.history.LedgerRow;
import io.twinbell.tools.client.NodeException;
import io.twinbell.tools.client.NodeStatus;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeSet;

/**
 * Measures how long a new master needs to start with many tasks: the role is handed over and back.
 *
 * @param tasks the number of waiting tasks, none of them due
 */
public record RebuildWorkload(int tasks) implements Workload {
    private static final Duration FAR_OFF = Duration.ofDays(300);
    private static final Duration LOOK = Duration.ofMillis(50);
    private static final Duration LIMIT = Duration.ofMinutes(2);
    private static final Duration LONGEST_RUN = Duration.ofHours(1);
    private static final int EVERY_MILLIS = 20;

    @Override
    public String title() {
        return "switchover with " + tasks + " waiting tasks";
    }

    @Override
    public Span run(BenchSite site, BenchResults results) throws NodeException, BenchException, IOException {
        long begun = site.nowMillis() + site.aheadMillis();
        if (site.database().isEmpty()) {
            results.note("tasks were created over HTTP: with --database this is faster");
        }
        BenchPlan plan = new BenchPlan.OneShots(begun + FAR_OFF.toMillis(), tasks, 0);
        new TaskLoader(site, TaskLoader.noop()).fill(plan);
        long beat = beat(site);
        for (String way : new String[] {"there", "back"}) {
            switchOver(site, results, way);
        }
        checkBeat(site, beat, begun, results);
        return new Span(begun, begun + LONGEST_RUN.toMillis());
    }

    /** Checks that the task that fires throughout has no gap and only successes. */
    private static void checkBeat(BenchSite site, long beat, long begun, BenchResults results)
            throws NodeException, BenchException, IOException {
        site.node().post("/api/v1/tasks/" + beat + "/pause");
        long start = site.clock().nanos();
        while (site.hasUnfinished() && site.clock().since(start).compareTo(LIMIT) < 0) {
            site.sleep(LOOK);
        }
        TreeSet<Long> fired = new TreeSet<>();
        site.rows(begun, site.nowMillis() + site.aheadMillis(), timed -> {
            LedgerRow row = timed.row();
            if (row.state() == LedgerRow.State.SUCCEEDED) {
                fired.add(row.slot().fireMillis());
            } else {
                results.problem("the slot of " + BenchPlan.text(row.slot().fireMillis()) + " ended " + row.state());
            }
        });
        long owed = fired.isEmpty() ? 1 : (fired.last() - fired.first()) / EVERY_MILLIS + 1;
        if (fired.size() != owed) {
            results.problem(
                    (owed - fired.size()) + " slots of a task every " + EVERY_MILLIS + " ms are not in the ledger");
        }
        results.verdict(
                "the ledger is complete: " + owed + " slots across both hand-overs, each recorded once and SUCCEEDED");
    }

    /** Creates a task that is overdue whenever a master starts; returns its id. */
    private static long beat(BenchSite site) throws NodeException, BenchException {
        var task = JsonNodeFactory.instance.objectNode();
        task.put("app", site.app()).put("name", "beat").put("overlap", "ALLOW");
        task.putObject("schedule").put("every", Duration.ofMillis(EVERY_MILLIS).toString());
        task.set("handler", TaskLoader.noop());
        return site.node().post("/api/v1/tasks", task).path("id").asLong();
    }

    private void switchOver(BenchSite site, BenchResults results, String way)
            throws NodeException, BenchException, IOException {
        NodeStatus from = site.master();
        site.print("handing over from " + from.id());
        site.client(from).post("/api/v1/cluster/switchover");
        NodeStatus to = successor(site, from);
        awaitHeap(site, to);
        JsonNode promotion = promotion(site, to).orElse(null);
        if (promotion == null) {
            results.problem("the role history does not show how node " + to.id() + " became master");
            return;
        }
        double fence = 0;
        for (JsonNode step : promotion.path("steps")) {
            String name = step.path("step").asText();
            double millis = step.path("micros").asDouble() / 1000;
            results.add(way + "." + BenchResults.identifier(name), way + ", " + name, millis, "ms");
            fence += name.matches("rebuild|first fire") ? millis : 0;
        }
        results.add(way + ".epochToFirstFire", way + ", from the open epoch to the first overdue fire", fence, "ms");
        try (MasterBeans beans = new MasterBeans(to)) {
            results.add(
                    way + ".heapRebuilt", way + ", until the whole heap was rebuilt", beans.lastRebuildMillis(), "ms");
            results.add(way + ".heapSize", way + ", entries of the heap", beans.heapSize(), "");
        } catch (IOException e) {
            results.note("the time of the heap rebuild was not measured: the master does not answer over JMX");
        }
        gap(site, to.epoch(), results, way);
    }

    private static NodeStatus successor(BenchSite site, NodeStatus from) throws BenchException {
        long start = site.clock().nanos();
        while (site.clock().since(start).compareTo(LIMIT) < 0) {
            Optional<NodeStatus> now = site.status().master().filter(node -> node.epoch() > from.epoch());
            if (now.isPresent()) {
                return now.get();
            }
            site.sleep(LOOK);
        }
        throw new BenchException("no node became master within " + LIMIT);
    }

    /** Waits until the heap holds all waiting tasks; most of them are loaded after the first page. */
    private void awaitHeap(BenchSite site, NodeStatus master) throws BenchException, NodeException {
        long start = site.clock().nanos();
        while (site.metrics().value("twinbell_heap_size") < tasks) {
            if (site.clock().since(start).compareTo(LIMIT) > 0) {
                throw new BenchException("the heap of " + master.id() + " was not rebuilt within " + LIMIT);
            }
            site.sleep(LOOK);
        }
        // The role history is written slightly later, and the first fire is reported after that.
        site.sleep(Duration.ofSeconds(1));
    }

    private static Optional<JsonNode> promotion(BenchSite site, NodeStatus to) throws NodeException, BenchException {
        for (JsonNode event : site.node().get("/api/v1/cluster").path("history")) {
            if (event.path("to").asText().equals("MASTER")
                    && event.path("epoch").asLong() == to.epoch()) {
                return Optional.of(event);
            }
        }
        return Optional.empty();
    }

    /** Reports the longest silence of the task that fires throughout, across the hand-over. */
    private static void gap(BenchSite site, long epoch, BenchResults results, String way)
            throws NodeException, BenchException, IOException {
        long until = site.nowMillis() + site.aheadMillis();
        long[] ends = {Long.MIN_VALUE, Long.MAX_VALUE};
        site.rows(until - LIMIT.toMillis(), until, timed -> {
            LedgerRow row = timed.row();
            OptionalLong started = row.times().startedMillis();
            if (started.isPresent() && row.state() == LedgerRow.State.SUCCEEDED) {
                boolean isNew = row.claim().epoch() >= epoch;
                ends[isNew ? 1 : 0] =
                        isNew ? Math.min(ends[1], started.getAsLong()) : Math.max(ends[0], started.getAsLong());
            }
        });
        if (ends[0] == Long.MIN_VALUE || ends[1] == Long.MAX_VALUE) {
            results.problem("the continuously firing task has no run before or after the hand-over " + way);
        } else {
            results.add(
                    way + ".gap",
                    way + ", gap between two starts of a task every " + EVERY_MILLIS + " ms",
                    ends[1] - ends[0],
                    "ms");
        }
    }
}
