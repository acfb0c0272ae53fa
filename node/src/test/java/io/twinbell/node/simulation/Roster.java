package io.twinbell.node.simulation;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.twinbell.node.engine.task.Overlap;
import io.twinbell.node.schedule.Calendars;
import io.twinbell.node.simulation.SimulatedReceiver.Habit;
import io.twinbell.node.task.TaskReader;
import io.twinbell.persistence.task.NewTask;
import io.twinbell.persistence.task.Task;
import io.twinbell.tools.check.history.TaskPolicyFacts;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.TreeMap;

/** Draws the tasks of a simulation: every kind of schedule under every policy. */
final class Roster {
    private final World world;
    private final SimulatedDatabase database;
    private final Map<Long, Habit> habits = new HashMap<>();
    private final Map<Long, WatchedPlan> plans = new TreeMap<>();

    Roster(World world, SimulatedDatabase database) {
        this.world = world;
        this.database = database;
    }

    Map<Long, Habit> habits() {
        return habits;
    }

    Map<Long, WatchedPlan> plans() {
        return plans;
    }

    void fill() {
        int count = 4 + world.random.nextInt(4);
        for (long id = 1; id <= count; id++) {
            add(id);
        }
    }

    private void add(long id) {
        long every = 200 * world.between(2, 15);
        String overlap = world.oneOf(List.of("SKIP", "SKIP", "ALLOW", "QUEUE", "CANCEL_RUNNING"));
        boolean reruns = world.chance(0.5);
        int attempts = world.chance(0.6) ? 1 : 2 + world.random.nextInt(2);
        ObjectNode task = JsonNodeFactory.instance.objectNode();
        task.put("app", "sim").put("name", "t" + id).put("overlap", overlap).put("orphan", reruns ? "RERUN" : "DROP");
        task.put(
                "start",
                Instant.ofEpochMilli(SimulatedDatabase.EPOCH_MILLIS + world.between(0, 3000))
                        .toString());
        task.putObject("handler").put("type", "log");
        task.putObject("retry")
                .put("maxAttempts", attempts)
                .put("backoff", "PT0.3S")
                .put("jitter", 0);
        task.putObject("misfire")
                .put("policy", world.oneOf(List.of("FIRE_ONCE", "FIRE_ALL", "SKIP")))
                .put("threshold", world.oneOf(List.of("PT2S", "PT10S", "PT30S")));
        boolean followsTheRun = world.chance(0.15);
        ObjectNode schedule = task.putObject("schedule");
        if (world.chance(0.12)) {
            schedule.put(
                    "at",
                    Instant.ofEpochMilli(SimulatedDatabase.EPOCH_MILLIS + world.between(3000, 30_000))
                            .toString());
        } else {
            schedule.put("every", "PT" + every / 1000.0 + "S");
            if (followsTheRun) {
                schedule.put("mode", "FIXED_DELAY");
            }
        }
        if (world.chance(0.3)) {
            task.put("timeout", "PT0.5S");
        }
        // A run may be so long that several hand-overs happen during it. A queue behind such runs would never catch up.
        boolean mayBeLong = List.of("ALLOW", "SKIP").contains(overlap)
                && !followsTheRun
                && !task.at("/misfire/policy").asText().equals("FIRE_ALL");
        long most = mayBeLong && world.chance(0.3) ? world.between(1500, 5000) : world.between(20, 1000);
        habits.put(id, new Habit(most * World.MILLI, attempts > 1 ? 0.3 : 0.05));
        Duration threshold = Duration.parse(task.at("/misfire/threshold").asText());
        store(
                id,
                task,
                new TaskPolicyFacts(
                        reruns,
                        Overlap.valueOf(overlap),
                        attempts,
                        OptionalLong.of(threshold.toMillis()),
                        OptionalLong.empty()));
    }

    private void store(long id, ObjectNode json, TaskPolicyFacts policies) {
        NewTask task = TaskReader.newTask(json, database.nowMillis(), Calendars.NONE);
        database.tables.put(
                new Task(id, 1, task.content(), task.progress(), database.nowMillis(), database.nowMillis()),
                (byte) task.priority());
        plans.put(id, new WatchedPlan(database.tables.tasks().get(id), policies));
        world.trace.say(null, "task " + id + ": " + json);
    }
}
