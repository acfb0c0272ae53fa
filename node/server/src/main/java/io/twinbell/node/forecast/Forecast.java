package io.twinbell.node.forecast;

import com.fasterxml.jackson.databind.JsonNode;
import io.twinbell.node.engine.task.TaskDefinition;
import io.twinbell.node.json.InvalidJsonException;
import io.twinbell.node.json.StrictJson;
import io.twinbell.node.schedule.Calendars;
import io.twinbell.node.task.TaskReader;
import io.twinbell.persistence.limit.LimitKey;
import io.twinbell.persistence.limit.RunLimit;
import io.twinbell.persistence.task.Task;
import io.twinbell.persistence.task.TaskName;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.zone.ZoneOffsetTransition;
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
    private static final int MAX_CLOCK_CHANGES = 100;
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
    private final Planners planners;
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

    /**
     * Plan the slots of a span.
     *
     * @param slots those of the schedules
     * @param chains those of followers
     */
    public record Planners(SlotPlanner slots, ChainPlanner chains) {}

    /** A task that has no further slot after this one. */
    record EndingTask(TaskName name, long lastFireMillis) {}

    /** A task and how many of its slots will be skipped. */
    record SkippingTask(TaskName name, long slots) {}

    /** A change of a zone's offset from UTC. */
    record OffsetChange(String zone, long atMillis, String before, String after) {}

    /**
     * @param fromMillis slots before it are planned, but not counted
     * @param runMillis how long the runs of a task took on average, by task id; a task without an entry takes no time
     * @param allLimits the first {@value #MAX_LIMITS} are judged
     */
    public Forecast(
            long fromMillis, long untilMillis, Planners planners, Map<Long, Long> runMillis, List<RunLimit> allLimits) {
        this.fromMillis = fromMillis;
        this.untilMillis = untilMillis;
        this.planners = planners;
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
        SlotPlanner.PlanEnd end = planners.slots()
                .plan(task, definition, runMillis.getOrDefault(task.id(), 0L), slot -> {
                    latestMillis = slot.fireMillis();
                    count(name, own, slot);
                    if (slot.runs() && !followers.isEmpty()) {
                        planners.chains().plan(followers, slot.endMillis(), calendars, this::countFollower);
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
        return LimitKey.of(
                        task.content().app(),
                        task.content().tags(),
                        task.content().handlerType(),
                        task.content().handlerKey(),
                        definition.contentionPolicy().concurrencyKey())
                .stream()
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

    long fromMillis() {
        return fromMillis;
    }

    long gridMillis() {
        return gridMillis;
    }

    long untilMillis() {
        return untilMillis;
    }

    Duration step() {
        return Duration.ofMillis(stepMillis);
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

    long skippedSlots() {
        return skippedSlots;
    }

    int[] byHour() {
        return load.byHour();
    }

    List<LoadCurve.BusyMinute> busiest() {
        return load.busiest(MAX_LISTED);
    }

    List<LimitDemand.ExceededLimit> exceededLimits() {
        return limits.values().stream()
                .flatMap(demand -> Stream.concat(demand.running().stream(), demand.rate().stream()))
                .toList();
    }

    List<SkippingTask> mostSkipping() {
        return skips.entrySet().stream()
                .sorted(Map.Entry.<TaskName, Long>comparingByValue(Comparator.reverseOrder()))
                .limit(MAX_LISTED)
                .map(entry -> new SkippingTask(entry.getKey(), entry.getValue()))
                .toList();
    }

    long endingTasks() {
        return endingTasks;
    }

    List<EndingTask> ending() {
        return List.copyOf(ending);
    }

    List<OffsetChange> clockChanges() {
        List<OffsetChange> changes = new ArrayList<>();
        for (String zone : zones) {
            ZoneOffsetTransition next = after(zone, Instant.ofEpochMilli(fromMillis));
            while (next != null
                    && next.getInstant().toEpochMilli() < untilMillis
                    && changes.size() < MAX_CLOCK_CHANGES) {
                changes.add(new OffsetChange(
                        zone,
                        next.getInstant().toEpochMilli(),
                        next.getOffsetBefore().getId(),
                        next.getOffsetAfter().getId()));
                next = after(zone, next.getInstant());
            }
        }
        return changes;
    }

    private static ZoneOffsetTransition after(String zone, Instant instant) {
        try {
            return ZoneId.of(zone).getRules().nextTransition(instant);
        } catch (DateTimeException e) {
            return null;
        }
    }
}
