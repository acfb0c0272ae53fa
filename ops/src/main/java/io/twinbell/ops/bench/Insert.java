package io.twinbell.ops.bench;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.twinbell.ops.bench.database.BenchDatabase;
import io.twinbell.ops.client.NodeClient;
import io.twinbell.ops.client.NodeException;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * How fast tasks are taken in, on each way there is.
 *
 * @param tasks how many on each way
 */
public record Insert(int tasks) implements Workload {
    private static final int HTTP_BATCH = 5000;
    private static final int SQL_BATCH = 1000;
    private static final int ONE_BY_ONE = 1000;
    private static final Duration LOOK = Duration.ofMillis(50);
    private static final Duration FAR_OFF = Duration.ofDays(300);

    @Override
    public String title() {
        return "insert of " + tasks + " tasks on each way";
    }

    @Override
    public Span run(Site site, Figures figures) throws NodeException, BenchException, IOException {
        long fire = site.nowMillis() + FAR_OFF.toMillis();
        overHttp(site, figures, "h", HTTP_BATCH, tasks, fire);
        overHttp(site, figures, "o", 1, Math.min(ONE_BY_ONE, tasks), fire);
        if (site.database().isPresent()) {
            bySql(site, site.database().get(), figures, fire);
        } else {
            figures.note("add_task was not measured: the database is not known (--database)");
        }
        figures.verdict("every task was taken in; none was due");
        return new Span(fire, fire);
    }

    private static void overHttp(Site site, Figures figures, String prefix, int size, int count, long fire)
            throws NodeException, BenchException {
        List<ArrayNode> batches = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            if (i % size == 0) {
                batches.add(JsonNodeFactory.instance.arrayNode());
            }
            batches.get(batches.size() - 1).add(task(site.app(), prefix + i, fire));
        }
        NodeClient node = site.node();
        site.tell("POST /api/v1/tasks/batch, " + size + " at a time");
        long start = site.pace().nanos();
        for (ArrayNode batch : batches) {
            site.requireGoingOn();
            Filling.post(node, batch);
        }
        figures.add("over HTTP, " + size + " a batch", perSecond(site, start, count), "tasks/s");
    }

    private static ObjectNode task(String app, String name, long fire) {
        ObjectNode task = JsonNodeFactory.instance.objectNode();
        task.put("app", app).put("name", name);
        task.putObject("schedule").put("at", Plan.text(fire));
        task.set("handler", Filling.noop());
        return task;
    }

    private void bySql(Site site, BenchDatabase database, Figures figures, long fire)
            throws BenchException, IOException {
        site.tell("add_task, " + SQL_BATCH + " a transaction");
        long start = site.pace().nanos();
        for (int from = 0; from < tasks; from += SQL_BATCH) {
            site.requireGoingOn();
            database.addTasks(site.app(), "s", from, Math.min(SQL_BATCH, tasks - from), Plan.text(fire));
        }
        figures.add("by add_task, " + SQL_BATCH + " a transaction", perSecond(site, start, tasks), "tasks/s");
        while (database.unread(site.app()) > 0) {
            site.rest(LOOK);
        }
        figures.add("by add_task, until the master had read the last", perSecond(site, start, tasks), "tasks/s");
        start = site.pace().nanos();
        int alone = Math.min(ONE_BY_ONE, tasks);
        for (int i = 0; i < alone; i++) {
            site.requireGoingOn();
            database.addTasks(site.app(), "t", i, 1, Plan.text(fire));
        }
        figures.add("by add_task, 1 a transaction", perSecond(site, start, alone), "tasks/s");
    }

    private static double perSecond(Site site, long startNanos, int count) {
        return count * 1e9 / site.pace().since(startNanos).toNanos();
    }
}
