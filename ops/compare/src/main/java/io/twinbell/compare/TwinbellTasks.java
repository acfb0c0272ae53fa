package io.twinbell.compare;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.twinbell.Twinbell;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.LongFunction;

/** Twinbell embedded in this program, with its default configuration. */
final class TwinbellTasks implements Contender {
    private static final int BATCH = 5000;
    private static final Duration LIMIT = Duration.ofSeconds(60);

    private final Databases.NewDatabase database;
    private final String zooKeeper;
    private Twinbell node;

    /** @param zooKeeper {@code host:port} of a real server */
    TwinbellTasks(Databases.NewDatabase database, String zooKeeper) {
        this.database = database;
        this.zooKeeper = zooKeeper;
    }

    @Override
    public void prepare() {
        node = Twinbell.builder()
                .set("cluster", database.name())
                .set("node.id", "a")
                .set("database.url", database.url())
                .set("database.user", Databases.USER)
                .set("database.password", Databases.USER)
                .set("zookeeper.connect", zooKeeper)
                .handler("measured", context -> {
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
    public void addOnce(int first, long[] fireMillis) throws UnsupportedWork {
        addAll(first, fireMillis, fire -> {
            ObjectNode task = task();
            task.putObject("schedule").put("at", Instant.ofEpochMilli(fire).toString());
            return task;
        });
    }

    @Override
    public void addEverySecond(long[] startMillis) throws UnsupportedWork {
        addAll(0, startMillis, start -> {
            ObjectNode task = task();
            task.putObject("schedule").put("every", "PT1S");
            return task.put("start", Instant.ofEpochMilli(start).toString());
        });
    }

    private void addAll(int first, long[] millis, LongFunction<ObjectNode> timed) throws UnsupportedWork {
        Map<String, String> tasks = new LinkedHashMap<>();
        for (int i = 0; i < millis.length; i++) {
            tasks.put(Integer.toString(first + i), timed.apply(millis[i]).toString());
            if (tasks.size() == BATCH || i == millis.length - 1) {
                int added = node.tasks().addAll("compare", tasks).size();
                if (added != tasks.size()) {
                    throw new UnsupportedWork("added " + added + " of " + tasks.size());
                }
                tasks.clear();
            }
        }
    }

    /** Tasks may be arbitrarily late, so that no slot is left out for its lateness. */
    private static ObjectNode task() {
        ObjectNode task = JsonNodeFactory.instance.objectNode();
        task.put("overlap", "ALLOW");
        task.putObject("misfire").put("threshold", "PT6H");
        task.putObject("handler").put("type", "java").put("key", "measured");
        return task;
    }

    @Override
    public void start() throws Exception {
        if (node == null) {
            prepare();
        }
        if (!node.awaitJoined(LIMIT)) {
            throw new UnsupportedWork("has not joined within " + LIMIT);
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
        return """
                select (select count(*) from twinbell.task_state where state = 'ACTIVE' and next_fire_time <= now())
                  + (select count(*) from twinbell.execution
                     where state in ('CLAIMED', 'RUNNING', 'PENDING', 'RETRYING'))
                  + (select count(*) from twinbell.claim_batch)""";
    }

    @Override
    public void close() {
        node.close();
    }
}
