package io.twinbell.node.forecast;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import io.twinbell.node.engine.task.Overdue;
import io.twinbell.node.engine.task.Schedule;
import io.twinbell.node.engine.task.TaskDefinition;
import io.twinbell.node.json.Instants;
import io.twinbell.node.json.InvalidJsonException;
import io.twinbell.node.json.StrictJson;
import io.twinbell.node.schedule.Calendars;
import io.twinbell.node.task.TaskReader;
import io.twinbell.persistence.cluster.Pause;
import io.twinbell.persistence.task.Task;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.ZoneId;
import java.time.zone.ZoneOffsetTransition;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.PriorityQueue;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Counts the planned fires of the coming minutes, from the tasks that fire soonest. The fires of an interval within a
 * minute are counted together. A FIXED_DELAY schedule is counted as if runs took no time.
 */
public final class UpcomingFires {
    /** Reading a definition takes up to 0.1 ms, so an answer takes 0.2 s at most. */
    public static final int MAX_TASKS = 2000;

    /** A step counts one fire, or all fires of an interval in a minute. */
    static final int MAX_STEPS = 200_000;

    private static final int MAX_CLOCK_CHANGES = 100;
    private static final long MINUTE = 60_000;

    private final TreeMap<Long, Minute> minutes = new TreeMap<>();
    private final PriorityQueue<Cursor> cursors =
            new PriorityQueue<>(Comparator.<Cursor>comparingLong(cursor -> cursor.fireMillis)
                    .thenComparingLong(cursor -> cursor.task.id()));
    private final TreeSet<String> zones = new TreeSet<>();
    private final Set<Pause> applied = new LinkedHashSet<>();
    private final Span span;
    private final List<Pause> pauses;
    private long completeUntilMillis;
    private int tasks;
    private boolean isBoundedByTasks;

    /**
     * The span, and how many tasks of each minute are named.
     *
     * @param untilMillis exclusive
     */
    public record Span(long fromMillis, long untilMillis, int named) {}

    /**
     * @param soonest the tasks that fire soonest; with more than {@link #MAX_TASKS} of them, the result is complete
     *     only until the next fire time of the first task beyond
     * @param pauses the pauses that are open now, of all firing or of some tasks
     */
    public UpcomingFires(List<Task> soonest, Calendars calendars, List<Pause> pauses, Span span) {
        this.span = span;
        this.pauses = pauses;
        completeUntilMillis = span.untilMillis();
        for (Task task : soonest) {
            long fire = task.progress().nextFireMillis().orElse(Schedule.NEVER);
            if (tasks == MAX_TASKS) {
                completeUntilMillis = Math.min(completeUntilMillis, fire);
                isBoundedByTasks = true;
                break;
            }
            tasks++;
            add(task, fire, calendars);
        }
        count();
    }

    /**
     * Adds the fires of a task. If its definition cannot be read, only its next fire is counted: the task then goes to
     * state ERROR.
     */
    private void add(Task task, long fireMillis, Calendars calendars) {
        Cursor cursor;
        try {
            TaskDefinition definition = TaskReader.definition(
                    task.content().app(), task.content().name(), task.content().definition(), calendars);
            boolean isUnlimited = definition.maxRuns() == TaskDefinition.UNLIMITED;
            long runs = isUnlimited
                    ? TaskDefinition.UNLIMITED
                    : Math.max(1, definition.maxRuns() - task.progress().runs());
            cursor = new Cursor(task, definition.schedule(), runs, fireMillis, pausedUntil(task, definition));
            JsonNode zone = StrictJson.readStored(task.content().definition()).at("/schedule/zone");
            if (zone.isTextual()) {
                zones.add(zone.textValue());
            }
        } catch (InvalidJsonException e) {
            cursor = new Cursor(task, null, 1, fireMillis, Long.MIN_VALUE);
        }
        if (cursor.reaches(span.fromMillis())) {
            cursors.add(cursor);
        }
    }

    /** Returns the last instant at which a pause keeps the task from firing. */
    private long pausedUntil(Task task, TaskDefinition definition) {
        List<String> keys = pauses.isEmpty()
                ? List.of()
                : definition.limitKeys(task.content().app(), task.content().tags());
        long until = Long.MIN_VALUE;
        for (Pause pause : pauses) {
            if (!pause.isStanding() || keys.contains(pause.key())) {
                applied.add(pause);
                until = Math.max(until, pause.untilMillis());
            }
        }
        return until;
    }

    private void count() {
        for (int steps = 0; !cursors.isEmpty() && cursors.peek().fireMillis < completeUntilMillis; steps++) {
            Cursor cursor = cursors.poll();
            long minuteMillis = cursor.fireMillis - Math.floorMod(cursor.fireMillis, MINUTE);
            if (steps == MAX_STEPS) {
                // Whole minutes, unless a single one is too much.
                completeUntilMillis = minuteMillis > span.fromMillis() ? minuteMillis : cursor.fireMillis;
                minutes.tailMap(completeUntilMillis, true).clear();
                return;
            }
            Minute minute = minutes.computeIfAbsent(minuteMillis, at -> new Minute(at, span.named()));
            if (cursor.countedIn(minute, Math.min(minuteMillis + MINUTE, completeUntilMillis) - 1)) {
                cursors.add(cursor);
            }
        }
    }

    /** The minutes with fires, in order. */
    public List<Minute> minutes() {
        return List.copyOf(minutes.values());
    }

    /** Fires from this instant on may be missing from the counts. */
    public long completeUntilMillis() {
        return completeUntilMillis;
    }

    /** Whether more tasks fire in the span than are considered. */
    public boolean isBoundedByTasks() {
        return isBoundedByTasks;
    }

    /** The number of tasks that were considered. */
    public int tasks() {
        return tasks;
    }

    /** The pauses that keep some of these tasks from firing. */
    public List<Pause> pauses() {
        return List.copyOf(applied);
    }

    /** The clock changes until the end of the span in the zones of these tasks, at most {@value #MAX_CLOCK_CHANGES}. */
    public List<ClockChange> clockChanges() {
        return ClockChange.between(zones, span.fromMillis(), span.untilMillis());
    }

    /** A change of a zone's offset from UTC, such as {@code +01:00}. */
    public record ClockChange(String zone, long atMillis, String offsetBefore, String offsetAfter) {
        /** The changes of the zones after one instant and before another, at most {@value #MAX_CLOCK_CHANGES}. */
        static List<ClockChange> between(Collection<String> zones, long fromMillis, long untilMillis) {
            List<ClockChange> changes = new ArrayList<>();
            for (String zone : zones) {
                ZoneOffsetTransition next = after(zone, Instant.ofEpochMilli(fromMillis));
                while (next != null
                        && next.getInstant().toEpochMilli() < untilMillis
                        && changes.size() < MAX_CLOCK_CHANGES) {
                    changes.add(new ClockChange(
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

        /** Adds the change to a list, as the HTTP API shows it. */
        public void addTo(ArrayNode changes) {
            changes.addObject()
                    .put("zone", zone)
                    .put("at", Instants.text(atMillis))
                    .put("offsetBefore", offsetBefore)
                    .put("offsetAfter", offsetAfter);
        }
    }

    /**
     * The fires of one task in one minute.
     *
     * @param atMillis the first of them
     * @param isPaused whether a pause keeps the first of them from running
     */
    public record FiringTask(Task task, long atMillis, long fires, boolean isPaused) {}

    /**
     * The fires of one minute. Its peak is the instant with most fires; of an interval below a minute, only the first
     * fire of the minute is considered for it.
     */
    public static final class Minute {
        private final long atMillis;
        private final int named;
        private final TreeMap<Long, FiringTask> first = new TreeMap<>();
        private long fires;
        private long paused;
        private long peakMillis;
        private int peakFires;
        private long latestMillis = Long.MIN_VALUE;
        private int latestFires;

        private Minute(long atMillis, int named) {
            this.atMillis = atMillis;
            this.named = named;
            peakMillis = atMillis;
        }

        /** @param running how many of the fires no pause stops: the last ones */
        private void count(Task task, long fireMillis, long all, long running) {
            fires += running;
            paused += all - running;
            FiringTask known = first.get(task.id());
            if (known != null) {
                first.put(task.id(), new FiringTask(task, known.atMillis(), known.fires() + all, known.isPaused()));
            } else if (first.size() < named) {
                first.put(task.id(), new FiringTask(task, fireMillis, all, running < all));
            }
            if (running < all) {
                return;
            }
            latestFires = fireMillis == latestMillis ? latestFires + 1 : 1;
            latestMillis = fireMillis;
            if (latestFires > peakFires) {
                peakFires = latestFires;
                peakMillis = fireMillis;
            }
        }

        public long atMillis() {
            return atMillis;
        }

        /** Without those that a pause stops. */
        public long fires() {
            return fires;
        }

        /** The fires that a pause stops. */
        public long paused() {
            return paused;
        }

        public long peakMillis() {
            return peakMillis;
        }

        public int peakFires() {
            return peakFires;
        }

        /** The tasks that fire first in the minute, as many as the span names, in the order of their first fires. */
        public List<FiringTask> first() {
            return first.values().stream()
                    .sorted(Comparator.comparingLong(FiringTask::atMillis)
                            .thenComparingLong(firing -> firing.task().id()))
                    .toList();
        }
    }

    /** The next fire time of a task. */
    private static final class Cursor {
        private final Task task;
        private final Schedule schedule;
        private final long pausedUntilMillis;
        private long runs;
        private long fireMillis;

        Cursor(Task task, Schedule schedule, long runs, long fireMillis, long pausedUntilMillis) {
            this.task = task;
            this.schedule = schedule;
            this.runs = runs;
            this.fireMillis = fireMillis;
            this.pausedUntilMillis = pausedUntilMillis;
        }

        /** Moves to the first fire time that is not before this instant; false if there is none. */
        boolean reaches(long fromMillis) {
            for (int steps = 0; schedule != null && fireMillis < fromMillis && steps < MAX_STEPS; steps++) {
                if (runs == TaskDefinition.UNLIMITED && !schedule.followsTheRun()) {
                    fireMillis = schedule.next(fromMillis - 1);
                } else if (!advances(schedule.countOnGrid(fireMillis, fromMillis - 1)
                        .orElseGet(() -> schedule.overdue(fireMillis, fromMillis - 1, MAX_STEPS)))) {
                    return false;
                }
            }
            return fireMillis >= fromMillis && fireMillis != Schedule.NEVER;
        }

        /** Counts the fire, or all fires of an interval up to this instant; false if there is no later one. */
        boolean countedIn(Minute minute, long lastMillis) {
            Optional<Overdue> onGrid =
                    schedule == null ? Optional.empty() : schedule.countOnGrid(fireMillis, lastMillis);
            Overdue counted = onGrid.filter(grid -> grid.count() > 1)
                    .orElseGet(() -> new Overdue(fireMillis, fireMillis, 1, true));
            long all = Math.min(runs, counted.count());
            minute.count(task, fireMillis, all, all - stopped(counted, all));
            return advances(counted);
        }

        /** How many of these fires a pause stops: the first ones. */
        private long stopped(Overdue fires, long all) {
            if (pausedUntilMillis < fires.first()) {
                return 0;
            }
            if (pausedUntilMillis >= fires.last() || fires.count() == 1) {
                return all;
            }
            long interval = (fires.last() - fires.first()) / (fires.count() - 1);
            return Math.min(all, 1 + (pausedUntilMillis - fires.first()) / interval);
        }

        private boolean advances(Overdue passed) {
            if (runs != TaskDefinition.UNLIMITED) {
                runs -= Math.min(runs, passed.count());
            }
            fireMillis = schedule == null || runs == 0 ? Schedule.NEVER : schedule.afterRun(passed.last());
            return fireMillis != Schedule.NEVER;
        }
    }
}
