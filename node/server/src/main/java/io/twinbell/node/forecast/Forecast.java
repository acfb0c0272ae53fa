package io.twinbell.node.forecast;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.twinbell.node.engine.task.TaskDefinition;
import io.twinbell.node.forecast.SlotPlanner.PlannedSlot;
import io.twinbell.node.json.Instants;
import io.twinbell.node.json.InvalidJsonException;
import io.twinbell.node.json.StrictJson;
import io.twinbell.node.schedule.Calendars;
import io.twinbell.node.task.TaskReader;
import io.twinbell.persistence.limit.RunLimit;
import io.twinbell.persistence.task.Task;
import io.twinbell.persistence.task.TaskName;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.stream.Stream;

/**
 * Adds up the planned slots of a span and of the chains that begin in it: load, limits that bind, skips and ending tasks.
 * Its memory is bounded by the length of the span, whatever the number of tasks.
 */
public final class Forecast {
    /** The longest span. */
    public static final Duration LONGEST = Duration.ofDays(30);

    /** The maximum number of limits that are judged. */
    public static final int MAX_LIMITS = 100;

    private static final int MAX_LISTED = 10;
    /** More tasks with skips than this are counted together and not by name. */
    private static final int MAX_SKIPPING = 10_000;

    private static final long HOUR_MILLIS = Duration.ofHours(1).toMillis();
    /**
     * The maximum number of steps, in whole seconds, by which a limit's demand is judged. For a day, a step is one
     * second.
     */
    private static final long STEPS = 90_000;

    private final long fromMillis;
    /** The full hour at or before the beginning, so that minutes and hours are those of the clock. */
    private final long gridMillis;

    private final long untilMillis;
    private final long stepMillis;
    private final Map<Long, Long> runMillis;
    private final SlotPlanner slotPlanner;
    private final ChainPlanner chainPlanner;
    private final LoadCurve load;
    private final Map<String, LimitDemand> limits = new LinkedHashMap<>();
    private final Map<TaskName, Long> skips = new LinkedHashMap<>();
    private final List<EndingTask> ending = new ArrayList<>();
    private final TreeSet<String> zones = new TreeSet<>();
    private long tasks;
    private long unreadable;
    private long runs;
    private long skippedSlots;
    private long endingTasks;
    private boolean isComplete = true;
    private long latestMillis;

    /** A task that has no further slot after this one. */
    private record EndingTask(TaskName name, long lastFireMillis) {}

    /**
     * @param fromMillis slots before it are planned, but not counted
     * @param slotPlanner plans the slots of the schedules
     * @param chainPlanner plans those of followers
     * @param runMillis how long the runs of a task took on average, by task id; a task without an entry takes no time
     * @param allLimits the first {@value #MAX_LIMITS} are judged
     */
    public Forecast(
            long fromMillis,
            long untilMillis,
            SlotPlanner slotPlanner,
            ChainPlanner chainPlanner,
            Map<Long, Long> runMillis,
            List<RunLimit> allLimits) {
        this.fromMillis = fromMillis;
        this.untilMillis = untilMillis;
        this.slotPlanner = slotPlanner;
        this.chainPlanner = chainPlanner;
        this.runMillis = runMillis;
        gridMillis = fromMillis - Math.floorMod(fromMillis, HOUR_MILLIS);
        long seconds = (untilMillis - gridMillis) / 1000 + 1;
        stepMillis = (seconds + STEPS - 1) / STEPS * 1000;
        load = new LoadCurve(gridMillis, untilMillis);
        allLimits.stream()
                .limit(MAX_LIMITS)
                .forEach(limit -> limits.put(limit.key(), new LimitDemand(limit, gridMillis, untilMillis, stepMillis)));
    }

    /** Plans an ACTIVE task; false if the time for the forecast is over. */
    public boolean add(Task task, Calendars calendars) {
        try {
            plan(task, calendars);
        } catch (InvalidJsonException e) {
            unreadable++;
            return true;
        }
        tasks++;
        return isComplete;
    }

    private void plan(Task task, Calendars calendars) {
        TaskName name = task.content().key();
        TaskDefinition definition =
                TaskReader.definition(name.app(), name.name(), task.content().definition(), calendars);
        noteZone(task);
        List<LimitDemand> own = demands(task, definition);
        latestMillis = Long.MIN_VALUE;
        List<TaskName> followers = ChainPlanner.followersOf(task, definition);
        SlotPlanner.PlanEnd end = slotPlanner.plan(task, definition, runMillis.getOrDefault(task.id(), 0L), slot -> {
            latestMillis = slot.fireMillis();
            count(name, own, slot);
            if (slot.runs() && !followers.isEmpty()) {
                chainPlanner.plan(followers, slot.endMillis(), calendars, this::countFollower);
            }
        });
        if (end == SlotPlanner.PlanEnd.FINISHED && latestMillis >= fromMillis) {
            endingTasks++;
            if (ending.size() < MAX_LISTED) {
                ending.add(new EndingTask(name, latestMillis));
            }
        }
        isComplete &= end != SlotPlanner.PlanEnd.STOPPED;
    }

    private List<LimitDemand> demands(Task task, TaskDefinition definition) {
        if (limits.isEmpty()) {
            return List.of();
        }
        return definition.limitKeys(task.content().app(), task.content().tags()).stream()
                .filter(limits::containsKey)
                .map(limits::get)
                .toList();
    }

    private void noteZone(Task task) {
        JsonNode zone = StrictJson.readStored(task.content().definition()).at("/schedule/zone");
        if (zone.isTextual()) {
            zones.add(zone.textValue());
        }
    }

    private void countFollower(Task follower, TaskDefinition definition, PlannedSlot slot) {
        count(follower.content().key(), demands(follower, definition), slot);
    }

    private void count(TaskName name, List<LimitDemand> own, PlannedSlot slot) {
        if (slot.runs() && slot.endMillis() >= fromMillis) {
            own.forEach(demand -> demand.add(slot));
        }
        if (slot.fireMillis() < fromMillis) {
            return;
        }
        if (slot.runs()) {
            runs++;
            load.count(name, slot.fireMillis());
        } else {
            skippedSlots += slot.slots();
            if (skips.size() < MAX_SKIPPING || skips.containsKey(name)) {
                skips.merge(name, slot.slots(), Long::sum);
            }
        }
    }

    /** Notes that not all tasks were planned. */
    public void incomplete() {
        isComplete = false;
    }

    /** Whether all tasks were planned until the end of the span. */
    boolean isComplete() {
        return isComplete;
    }

    long tasks() {
        return tasks;
    }

    long unreadable() {
        return unreadable;
    }

    long runs() {
        return runs;
    }

    /** The forecast as the HTTP API shows it. */
    public ObjectNode json() {
        ObjectNode json = JsonNodeFactory.instance.objectNode();
        json.put("from", Instants.text(fromMillis));
        json.put("until", Instants.text(untilMillis));
        json.put("complete", isComplete);
        json.put("tasks", tasks);
        json.put("unreadableTasks", unreadable);
        json.put("runs", runs);
        json.put("skippedSlots", skippedSlots);
        hours(json.putArray("hours"));
        busiest(json.putArray("busiestMinutes"));
        json.put("limitStep", Duration.ofMillis(stepMillis).toString());
        limits(json.putArray("limits"));
        ArrayNode skipping = json.putArray("skips");
        skips.entrySet().stream()
                .sorted(Map.Entry.<TaskName, Long>comparingByValue(Comparator.reverseOrder()))
                .limit(MAX_LISTED)
                .forEach(task -> named(skipping.addObject(), task.getKey()).put("slots", task.getValue()));
        json.put("endingTasks", endingTasks);
        ArrayNode last = json.putArray("ending");
        ending.forEach(
                task -> named(last.addObject(), task.name()).put("lastFireTime", Instants.text(task.lastFireMillis())));
        ArrayNode changes = json.putArray("clockChanges");
        UpcomingFires.ClockChange.between(zones, fromMillis, untilMillis).forEach(change -> change.addTo(changes));
        return json;
    }

    private static ObjectNode named(ObjectNode json, TaskName name) {
        return json.put("app", name.app()).put("name", name.name());
    }

    private void hours(ArrayNode json) {
        int[] hours = load.byHour();
        for (int hour = 0; hour < hours.length; hour++) {
            if (hours[hour] > 0) {
                json.addObject()
                        .put("at", Instants.text(gridMillis + hour * HOUR_MILLIS))
                        .put("runs", hours[hour]);
            }
        }
    }

    private void busiest(ArrayNode json) {
        load.busiest(MAX_LISTED).forEach(minute -> {
            ObjectNode one = json.addObject()
                    .put("at", Instants.text(minute.atMillis()))
                    .put("runs", minute.runs())
                    .put("peakAt", Instants.text(minute.peakMillis()))
                    .put("peakRuns", minute.peakRuns());
            ArrayNode first = one.putArray("first");
            minute.first().forEach(name -> named(first.addObject(), name));
        });
    }

    private void limits(ArrayNode json) {
        limits.values().stream()
                .flatMap(demand -> Stream.concat(demand.running().stream(), demand.rate().stream()))
                .forEach(exceeded -> {
                    ObjectNode one =
                            json.addObject().put("key", exceeded.limit().key());
                    if (exceeded.isRate()) {
                        one.put("maxStarts", exceeded.limit().rate().max())
                                .put("per", exceeded.limit().rate().per().toString());
                    } else {
                        one.put("maxRunning", exceeded.limit().maxRunning());
                    }
                    one.put("demand", exceeded.most());
                    one.put("firstAt", Instants.text(exceeded.firstMillis()));
                    one.put("peakAt", Instants.text(exceeded.peakMillis()));
                    one.put("binds", Duration.ofMillis(exceeded.bindingMillis()).toString());
                });
    }
}
