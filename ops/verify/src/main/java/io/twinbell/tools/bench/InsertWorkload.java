package io.twinbell.tools.bench;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.twinbell.tools.bench.database.BenchDatabase;
import io.twinbell.tools.client.NodeClient;
import io.twinbell.tools.client.NodeException;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Measures how fast tasks are created, through each interface.
 *
 * @param tasks the number of tasks for each interface
 */
public record InsertWorkload(int tasks) implements Workload {
    private static final int HTTP_BATCH = 5000;
    private static final int SQL_BATCH = 1000;
    private static final int ONE_BY_ONE = 1000;
    private static final int LANES = 2;
    private static final Duration LOOK = Duration.ofMillis(50);
    private static final Duration FAR_OFF = Duration.ofDays(300);

    @Override
    public String title() {
        return "insert of " + tasks + " tasks in each way";
    }

    @Override
    public Span run(BenchSite site, BenchResults results) throws NodeException, BenchException, IOException {
        long fire = site.nowMillis() + FAR_OFF.toMillis();
        overHttp(site, results, "h", "httpBatch", 1, HTTP_BATCH, tasks, fire);
        overHttp(site, results, "l", "httpBatchParallel", LANES, HTTP_BATCH, tasks, fire);
        overHttp(site, results, "o", "httpSingle", 1, 1, Math.min(ONE_BY_ONE, tasks), fire);
        if (site.database().isPresent()) {
            bySql(site, site.database().get(), results, fire);
        } else {
            results.note("add_task was not measured: the database is unknown (--database)");
        }
        results.verdict("every task was accepted; none was due");
        return new Span(fire, fire);
    }

    private static void overHttp(
            BenchSite site, BenchResults results, String prefix, String name, int lanes, int size, int count, long fire)
            throws NodeException, BenchException {
        // Built beforehand, so that only the node's work is measured.
        List<String> batches = batches(site.app(), prefix, size, count, fire);
        String way = "over HTTP, " + size + " per batch" + beside(lanes);
        site.print(way);
        NodeClient node = site.node();
        long start = site.clock().nanos();
        ParallelClients.each(lanes, batches.size(), i -> {
            site.requireGoingOn();
            TaskLoader.post(node, batches.get(i), Math.min(size, count - i * size));
        });
        results.add(name, way, perSecond(site, start, count), "tasks/s");
    }

    private static String beside(int lanes) {
        return lanes == 1 ? "" : ", " + lanes + " at a time";
    }

    private static List<String> batches(String app, String prefix, int size, int count, long fire) {
        List<String> batches = new ArrayList<>();
        for (int from = 0; from < count; from += size) {
            batches.add(batch(app, prefix, from, Math.min(count, from + size), fire));
        }
        return batches;
    }

    private static String batch(String app, String prefix, int from, int to, long fire) {
        ArrayNode batch = JsonNodeFactory.instance.arrayNode();
        for (int i = from; i < to; i++) {
            batch.add(task(app, prefix + i, fire));
        }
        return batch.toString();
    }

    private static ObjectNode task(String app, String name, long fire) {
        ObjectNode task = JsonNodeFactory.instance.objectNode();
        task.put("app", app).put("name", name);
        task.putObject("schedule").put("at", BenchPlan.text(fire));
        task.set("handler", TaskLoader.noop());
        return task;
    }

    private void bySql(BenchSite site, BenchDatabase database, BenchResults results, long fire)
            throws NodeException, BenchException, IOException {
        String at = BenchPlan.text(fire);
        site.print("add_task, " + SQL_BATCH + " per transaction");
        long start = site.clock().nanos();
        for (int from = 0; from < tasks; from += SQL_BATCH) {
            site.requireGoingOn();
            database.addTasks(site.app(), "s", from, Math.min(SQL_BATCH, tasks - from), at);
        }
        results.add(
                "addTaskBatch",
                "by add_task, " + SQL_BATCH + " per transaction",
                perSecond(site, start, tasks),
                "tasks/s");
        untilRead(site, database, results, "addTaskBatch", "by add_task", start);
        inLists(site, database, results, "m", "addTasks", 1, fire);
        inLists(site, database, results, "n", "addTasksParallel", LANES, fire);
        start = site.clock().nanos();
        int alone = Math.min(ONE_BY_ONE, tasks);
        for (int i = 0; i < alone; i++) {
            site.requireGoingOn();
            database.addTasks(site.app(), "t", i, 1, at);
        }
        results.add("addTaskSingle", "by add_task, 1 per transaction", perSecond(site, start, alone), "tasks/s");
    }

    private void inLists(
            BenchSite site,
            BenchDatabase database,
            BenchResults results,
            String prefix,
            String name,
            int lanes,
            long fire)
            throws NodeException, BenchException, IOException {
        // Built beforehand as for HTTP: a program would build its lists itself.
        List<String> lists = batches(site.app(), prefix, HTTP_BATCH, tasks, fire);
        String way = "by add_tasks, " + HTTP_BATCH + " per call" + beside(lanes);
        site.print(way);
        long start = site.clock().nanos();
        ParallelClients.each(lanes, lanes, lane -> {
            try (BenchDatabase own = database.another()) {
                for (int i = lane; i < lists.size(); i += lanes) {
                    site.requireGoingOn();
                    own.addList(lists.get(i));
                }
            } catch (IOException e) {
                throw new BenchException(e.getMessage());
            }
        });
        results.add(name, way, perSecond(site, start, tasks), "tasks/s");
        untilRead(site, database, results, name, way, start);
    }

    private void untilRead(
            BenchSite site, BenchDatabase database, BenchResults results, String name, String way, long start)
            throws BenchException, IOException {
        while (database.hasUnread(site.app())) {
            site.sleep(LOOK);
        }
        results.add(
                name + "UntilRead",
                way + ", until the master had read the last",
                perSecond(site, start, tasks),
                "tasks/s");
    }

    private static double perSecond(BenchSite site, long startNanos, int count) {
        return count * 1e9 / site.clock().since(startNanos).toNanos();
    }

    /** Runs work items on several parallel clients. Each takes the next item when it has finished one. */
    private static final class ParallelClients {
        private ParallelClients() {}

        @FunctionalInterface
        interface Work {
            void carryOut(int number) throws NodeException, BenchException;
        }

        /** Returns when all items are done; throws the first failure. */
        static void each(int lanes, int count, Work work) throws NodeException, BenchException {
            AtomicInteger next = new AtomicInteger();
            Callable<Void> lane = () -> {
                for (int i = next.getAndIncrement(); i < count; i = next.getAndIncrement()) {
                    work.carryOut(i);
                }
                return null;
            };
            ExecutorService threads = Executors.newFixedThreadPool(lanes);
            try {
                List<Future<Void>> running = new ArrayList<>();
                for (int i = 0; i < lanes; i++) {
                    running.add(threads.submit(lane));
                }
                for (Future<Void> one : running) {
                    one.get();
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new BenchException("aborted");
            } catch (ExecutionException e) {
                throw rethrown(e.getCause());
            } finally {
                threads.shutdownNow();
            }
        }

        private static BenchException rethrown(Throwable cause) throws NodeException, BenchException {
            if (cause instanceof NodeException refused) {
                throw refused;
            }
            if (cause instanceof BenchException broken) {
                throw broken;
            }
            return new BenchException(cause.toString());
        }
    }
}
