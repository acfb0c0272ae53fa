package io.twinbell.node.forecast;

import com.fasterxml.jackson.databind.JsonNode;
import io.twinbell.node.engine.task.TaskDefinition;
import io.twinbell.node.forecast.SlotPlanner.PlannedSlot;
import io.twinbell.node.json.InvalidJsonException;
import io.twinbell.node.json.StrictJson;
import io.twinbell.node.schedule.Calendars;
import io.twinbell.node.task.TaskReader;
import io.twinbell.persistence.ledger.ExecutionState;
import io.twinbell.persistence.task.Task;
import io.twinbell.persistence.task.TaskName;
import io.twinbell.persistence.task.TaskState;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.Function;

/**
 * Plans the runs that follow from a planned run, with the bounds of the ledger. Each run SUCCEEDS, so only the tasks in
 * {@code then} follow. A follower starts at the end of the run before it, whether or not it runs already.
 */
public final class ChainPlanner {
    private static final int MAX_DEPTH = 100;
    /** Those of the first run's own followers do not count. */
    private static final int MAX_RUNS = 10_000;
    /** Further tasks are looked up each time. */
    private static final int MAX_KNOWN = 10_000;

    private final Function<TaskName, Optional<Task>> finder;
    private final Map<Long, Long> runMillis;
    private final long untilMillis;
    private final BooleanSupplier goesOn;
    private final Map<TaskName, Optional<Follower>> known = new HashMap<>();

    /**
     * @param finder finds a task by its name; empty if it does not exist, or must not be shown
     * @param runMillis how long the runs of a task take, by task id; a task without an entry takes no time
     * @param untilMillis the end of the span: a slot at this instant is not planned any more
     * @param goesOn false if the forecast must end: a chain may have thousands of runs, and each may be looked up
     */
    public ChainPlanner(
            Function<TaskName, Optional<Task>> finder,
            Map<Long, Long> runMillis,
            long untilMillis,
            BooleanSupplier goesOn) {
        this.finder = finder;
        this.runMillis = runMillis;
        this.untilMillis = untilMillis;
        this.goesOn = goesOn;
    }

    /** Receives the slots of followers. */
    public interface Slots {
        void accept(Task follower, TaskDefinition definition, PlannedSlot slot);
    }

    /** A task that follows others, with its own followers. */
    private record Follower(Task task, TaskDefinition definition, List<TaskName> next) {}

    /** A run whose followers are not planned yet. */
    private record Ended(List<TaskName> followers, long millis, int depth) {}

    /** The names in {@code then} of a stored task. */
    public static List<TaskName> followersOf(Task task, TaskDefinition definition) {
        if (definition.followers().afterSuccess() == 0) {
            return List.of();
        }
        List<TaskName> names = new ArrayList<>();
        for (JsonNode name : StrictJson.readStored(task.content().definition()).path("then")) {
            names.add(new TaskName(name.path("app").asText(), name.path("name").asText()));
        }
        return names;
    }

    /**
     * Plans what follows from a run.
     *
     * @param followers the tasks that follow the run
     * @param endMillis when the run ends
     */
    public void plan(List<TaskName> followers, long endMillis, Calendars calendars, Slots slots) {
        Deque<Ended> ended = new ArrayDeque<>();
        ended.add(new Ended(followers, endMillis, 1));
        int counted = 0;
        while (!ended.isEmpty() && goesOn.getAsBoolean()) {
            Ended run = ended.remove();
            if (run.millis >= untilMillis || run.depth > MAX_DEPTH) {
                continue;
            }
            for (TaskName name : run.followers) {
                Optional<Follower> found = follower(name, calendars);
                if (found.isPresent() && (run.depth == 1 || counted++ < MAX_RUNS)) {
                    ended.add(follow(found.get(), run, slots));
                }
            }
        }
    }

    private Ended follow(Follower follower, Ended run, Slots slots) {
        if (follower.task.progress().state() == TaskState.PAUSED) {
            slots.accept(
                    follower.task,
                    follower.definition,
                    new PlannedSlot(ExecutionState.SKIPPED.name(), run.millis, 1, run.millis, run.millis));
            return new Ended(List.of(), run.millis, run.depth + 1);
        }
        long endMillis = run.millis + runMillis.getOrDefault(follower.task.id(), 0L);
        slots.accept(
                follower.task,
                follower.definition,
                new PlannedSlot(PlannedSlot.RUNS, run.millis, 1, run.millis, endMillis));
        return new Ended(follower.next, endMillis, run.depth + 1);
    }

    private Optional<Follower> follower(TaskName name, Calendars calendars) {
        Optional<Follower> follower = known.get(name);
        if (follower == null) {
            follower = finder.apply(name).flatMap(task -> read(task, calendars));
            if (known.size() < MAX_KNOWN) {
                known.put(name, follower);
            }
        }
        return follower;
    }

    private static Optional<Follower> read(Task task, Calendars calendars) {
        TaskName name = task.content().key();
        try {
            TaskDefinition definition = TaskReader.definition(
                    name.app(), name.name(), task.content().definition(), calendars);
            return Optional.of(new Follower(task, definition, followersOf(task, definition)));
        } catch (InvalidJsonException e) {
            // The engine leaves its slots waiting, and the forecast counts the task as unreadable if it is ACTIVE.
            return Optional.empty();
        }
    }
}
