package io.twinbell.compare;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.twinbell.Twinbell;
import io.twinbell.ops.client.NodeClient;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;

/** Twinbell inside this program, with its default configuration; tasks go over HTTP, since the library adds one at a time. */
final class TwinbellNode implements Contender {
    private static final int BATCH = 5000;
    private static final Duration LIMIT = Duration.ofSeconds(60);

    private final Databases.Fresh database;
    private final String zooKeeper;
    private Twinbell node;

    /** @param zooKeeper {@code host:port} of a real server */
    TwinbellNode(Databases.Fresh database, String zooKeeper) {
        this.database = database;
        this.zooKeeper = zooKeeper;
    }

    @Override
    public void prepare() {
        node = Twinbell.builder()
                .set("cluster", database.name())
                .set("node.id", "a")
                .set("http.port", "0")
                .set("jmx.port", "0")
                .set("database.url", database.url())
                .set("database.user", Databases.USER)
                .set("database.password", Databases.USER)
                .set("zookeeper.connect", zooKeeper)
                .handler("told", context -> {
                    Runs.began(Integer.parseInt(context.name()));
                    return null;
                })
                .start();
    }

    @Override
    public boolean addsBeforeStart() {
        return false;
    }

    @Override
    public void addOnce(int first, long[] fireMillis) throws Exception {
        ArrayNode batch = JsonNodeFactory.instance.arrayNode();
        for (int i = 0; i < fireMillis.length; i++) {
            ObjectNode task = task(first + i);
            task.putObject("schedule")
                    .put("at", Instant.ofEpochMilli(fireMillis[i]).toString());
            batch.add(task);
            if (batch.size() == BATCH || i == fireMillis.length - 1) {
                post(batch);
                batch.removeAll();
            }
        }
    }

    @Override
    public void addEverySecond(long[] startMillis) throws Exception {
        ArrayNode batch = JsonNodeFactory.instance.arrayNode();
        for (int i = 0; i < startMillis.length; i++) {
            ObjectNode task = task(i);
            task.putObject("schedule").put("every", "PT1S");
            batch.add(task.put("start", Instant.ofEpochMilli(startMillis[i]).toString()));
        }
        post(batch);
    }

    /** Tasks may be as late as they are: nothing is left out for it. */
    private static ObjectNode task(int number) {
        ObjectNode task = JsonNodeFactory.instance.objectNode();
        task.put("app", "compare").put("name", Integer.toString(number)).put("overlap", "ALLOW");
        task.putObject("misfire").put("threshold", "PT6H");
        task.putObject("handler").put("type", "java").put("key", "told");
        return task;
    }

    private void post(ArrayNode batch) throws Exception {
        JsonNode answer = new NodeClient(URI.create(node.url()), LIMIT).post("/api/v1/tasks/batch", batch);
        for (JsonNode item : answer.path("items")) {
            if (item.path("status").asInt() != 201) {
                throw new Unable("refuses " + item.path("problem"));
            }
        }
    }

    @Override
    public void start() throws Exception {
        if (node == null) {
            prepare();
        }
        if (!node.awaitJoined(LIMIT)) {
            throw new Unable("has not joined within " + LIMIT);
        }
        while (!node.role().equals("MASTER")) {
            Thread.sleep(1);
        }
    }

    @Override
    public int leastAddedPerSecond() {
        return 2000;
    }

    @Override
    public String unfinished() {
        return "select (select count(*) from twinbell.task_state where state = 'ACTIVE' and next_fire_time <= now())"
                + " + (select count(*) from twinbell.execution where state in ('CLAIMED', 'RUNNING', 'PENDING', 'RETRYING'))";
    }

    @Override
    public void close() {
        node.close();
    }
}
