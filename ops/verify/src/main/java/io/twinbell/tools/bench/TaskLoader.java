package io.twinbell.tools.bench;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.twinbell.tools.bench.database.BenchDatabase;
import io.twinbell.tools.client.NodeClient;
import io.twinbell.tools.client.NodeException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Creates a plan's tasks on the pair. The first one goes over HTTP; if the database is known, the others are copied
 * from it by SQL.
 */
final class TaskLoader {
    private static final int BATCH = 5000;
    private static final int BATCHES_BETWEEN_WORDS = 20;
    /** A rate that even a slow machine reaches; it determines how far ahead a plan starts. */
    private static final int SLOWEST_BY_SQL = 12_000;

    private static final int SLOWEST_BY_HTTP = 3000;
    private static final long SPARE_MILLIS = 3000;

    private final BenchSite site;
    private final ObjectNode handler;

    /** @param handler the handler of every task */
    TaskLoader(BenchSite site, ObjectNode handler) {
        this.site = site;
        this.handler = handler;
    }

    /** The handler that does nothing. */
    static ObjectNode noop() {
        return JsonNodeFactory.instance.objectNode().put("type", "java").put("key", "twinbell.noop");
    }

    /** A whole second by which this many tasks should have been created. */
    static long startFor(BenchSite site, int oneShots, int others) throws IOException {
        boolean isBySql = site.database().isPresent();
        long millis = SPARE_MILLIS
                + oneShots * 1000L / (isBySql ? SLOWEST_BY_SQL : SLOWEST_BY_HTTP)
                + others * 1000L / SLOWEST_BY_HTTP;
        return ((site.nowMillis() + site.aheadMillis() + millis) / 1000 + 1) * 1000;
    }

    /**
     * Creates the tasks; returns their ids, by number.
     *
     * @throws BenchException if the first task was due before all were created
     */
    long[] fill(BenchPlan plan) throws NodeException, BenchException, IOException {
        long[] ids = new long[plan.tasks()];
        boolean isBySql = site.database().isPresent() && plan instanceof BenchPlan.OneShots;
        site.print("loading " + plan.tasks() + " tasks over " + (isBySql ? "SQL" : "HTTP"));
        if (isBySql) {
            post(plan, ids, 0, 1);
            copy((BenchPlan.OneShots) plan, ids);
        } else {
            for (int from = 0; from < ids.length; from += BATCH) {
                post(plan, ids, from, Math.min(ids.length, from + BATCH));
                reportProgress(from);
            }
        }
        if (site.nowMillis() + site.aheadMillis() > plan.firstMillis() - 500) {
            throw new BenchException("the tasks were not loaded before the first one was due: the machine is too busy");
        }
        return ids;
    }

    /** What happens before the master can see the tasks. */
    interface Beginning {
        void begin() throws BenchException, IOException;
    }

    /**
     * Creates tasks that are overdue; returns their ids, by number. By SQL, all but the first one become visible at one
     * instant; over HTTP, each list by itself.
     */
    long[] fillOverdue(BenchPlan.OneShots plan, Beginning beginning) throws NodeException, BenchException, IOException {
        long[] ids = new long[plan.tasks()];
        site.print("loading " + plan.tasks() + " overdue tasks");
        if (site.database().isPresent()) {
            post(plan, ids, 0, 1);
            try (BenchDatabase.Transaction all = site.database().get().begin()) {
                copy(plan, ids);
                beginning.begin();
                all.commit();
            }
        } else {
            beginning.begin();
            for (int from = 0; from < ids.length; from += BATCH) {
                post(plan, ids, from, Math.min(ids.length, from + BATCH));
            }
        }
        return ids;
    }

    private void post(BenchPlan plan, long[] ids, int from, int to) throws NodeException, BenchException {
        site.requireGoingOn();
        ArrayNode batch = JsonNodeFactory.instance.arrayNode();
        for (int i = from; i < to; i++) {
            batch.add(task(plan, i));
        }
        int number = from;
        for (long id : post(site.node(), batch)) {
            ids[number++] = id;
        }
    }

    /** Creates all tasks or none; returns their ids, in order. */
    static long[] post(NodeClient node, ArrayNode batch) throws NodeException, BenchException {
        return post(node, batch.toString(), batch.size());
    }

    /** The same with an already serialized body. */
    static long[] post(NodeClient node, String batch, int size) throws NodeException, BenchException {
        long[] ids = new long[size];
        int number = 0;
        for (JsonNode item : node.postText("/api/v1/tasks/batch", batch).path("items")) {
            if (item.path("status").asInt() != 201) {
                throw new BenchException("the pair refused a task: " + item.path("problem"));
            }
            ids[number++] = item.path("id").asLong();
        }
        return ids;
    }

    /** A task that may overlap itself and be late, so that lateness is measured and not hidden by a policy. */
    private ObjectNode task(BenchPlan plan, int number) {
        ObjectNode task = plan.timing(number);
        task.put("app", site.app()).put("name", name(number)).put("overlap", "ALLOW");
        task.putObject("misfire").put("threshold", "PT6H");
        task.set("handler", handler);
        return task;
    }

    private static String name(int number) {
        return String.format(Locale.ROOT, "%08d", number);
    }

    private void copy(BenchPlan.OneShots plan, long[] ids) throws IOException, BenchException {
        for (int from = 1; from < ids.length; from += BATCH) {
            site.requireGoingOn();
            List<BenchDatabase.Copy> copies = new ArrayList<>();
            for (int i = from; i < Math.min(ids.length, from + BATCH); i++) {
                long fire = plan.fireMillis(i);
                copies.add(new BenchDatabase.Copy(name(i), fire));
            }
            Map<String, Long> made = site.database().orElseThrow().copy(ids[0], copies);
            made.forEach((name, id) -> ids[Integer.parseInt(name)] = id);
            reportProgress(from);
        }
        site.database().orElseThrow().analyze();
    }

    private void reportProgress(int done) {
        if (done / BATCH % BATCHES_BETWEEN_WORDS == BATCHES_BETWEEN_WORDS - 1) {
            site.print("  " + done + " loaded");
        }
    }
}
