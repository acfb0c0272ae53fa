package io.twinbell.node.task;

import com.fasterxml.jackson.databind.JsonNode;
import io.twinbell.node.json.InvalidJsonException;
import io.twinbell.node.json.StrictJson;
import io.twinbell.node.schedule.Calendars;
import io.twinbell.node.schedule.Schedule;
import io.twinbell.node.task.definition.TaskDefinition;
import io.twinbell.persistence.task.Task;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.ZoneId;
import java.time.zone.ZoneOffsetTransition;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Counts the planned fires of the coming minutes, from the tasks that fire soonest. A FIXED_DELAY schedule is counted as if
 * runs took no time.
 */
public final class UpcomingFires {
    /** Reading a definition takes up to 0.1 ms, so an answer takes 0.2 s at most. */
    public static final int MAX_TASKS = 2000;

    static final int MAX_FIRES = 50_000;
    private static final int MAX_NAMED = 5;
    private static final int MAX_CLOCK_CHANGES = 100;
    private static final long MINUTE = 60_000;

    private final TreeMap<Long, Minute> minutes = new TreeMap<>();
    private final PriorityQueue<Cursor> cursors =
            new PriorityQueue<>(Comparator.<Cursor>comparingLong(cursor -> cursor.fireMillis)
                    .thenComparingLong(cursor -> cursor.task.id()));
    private final TreeSet<String> zones = new TreeSet<>();
    private long completeUntilMillis;
    private int tasks;

    /**
     * @param soonest the tasks that fire soonest; with more than {@link #MAX_TASKS} of them, the result is complete
     *     only until the next fire time of the first task beyond
     */
    public UpcomingFires(List<Task> soonest, Calendars calendars, long untilMillis) {
        completeUntilMillis = untilMillis;
        for (Task task : soonest) {
            long fire = task.progress().nextFireMillis().orElse(Schedule.NEVER);
            if (tasks == MAX_TASKS) {
                completeUntilMillis = Math.min(completeUntilMillis, fire);
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
        try {
            TaskDefinition definition = TaskReader.definition(
                    task.content().app(), task.content().name(), task.content().definition(), calendars);
            long runs = Math.max(1, definition.maxRuns() - task.progress().runs());
            cursors.add(new Cursor(task, definition.schedule(), runs, fireMillis));
            JsonNode zone = StrictJson.readStored(task.content().definition()).at("/schedule/zone");
            if (zone.isTextual()) {
                zones.add(zone.textValue());
            }
        } catch (InvalidJsonException e) {
            cursors.add(new Cursor(task, null, 1, fireMillis));
        }
    }

    private void count() {
        for (int fires = 0; !cursors.isEmpty() && cursors.peek().fireMillis < completeUntilMillis; fires++) {
            Cursor cursor = cursors.poll();
            if (fires == MAX_FIRES) {
                completeUntilMillis = cursor.fireMillis;
                minutes.tailMap(completeUntilMillis, true).clear();
                return;
            }
            minutes.computeIfAbsent(cursor.fireMillis - Math.floorMod(cursor.fireMillis, MINUTE), Minute::new)
                    .count(cursor.task, cursor.fireMillis);
            if (cursor.advances()) {
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

    /** The number of tasks that were considered. */
    public int tasks() {
        return tasks;
    }

    /** The clock changes until the end of the span in the zones of these tasks, at most {@value #MAX_CLOCK_CHANGES}. */
    public List<ClockChange> clockChanges(long nowMillis, long untilMillis) {
        List<ClockChange> changes = new ArrayList<>();
        for (String zone : zones) {
            ZoneOffsetTransition next = transition(zone, nowMillis);
            boolean isInside = next != null && next.getInstant().toEpochMilli() < untilMillis;
            if (isInside && changes.size() < MAX_CLOCK_CHANGES) {
                changes.add(new ClockChange(
                        zone,
                        next.getInstant().toEpochMilli(),
                        next.getOffsetBefore().getId(),
                        next.getOffsetAfter().getId()));
            }
        }
        return changes;
    }

    private static ZoneOffsetTransition transition(String zone, long nowMillis) {
        try {
            return ZoneId.of(zone).getRules().nextTransition(Instant.ofEpochMilli(nowMillis));
        } catch (DateTimeException e) {
            return null;
        }
    }

    /** A change of a zone's offset from UTC, such as {@code +01:00}. */
    public record ClockChange(String zone, long atMillis, String offsetBefore, String offsetAfter) {}

    /** The fires of one minute. Its peak is the instant with most fires. */
    public static final class Minute {
        private final long atMillis;
        private final List<Task> first = new ArrayList<>();
        private int fires;
        private long peakMillis;
        private int peakFires;
        private long latestMillis = Long.MIN_VALUE;
        private int latestFires;

        private Minute(long atMillis) {
            this.atMillis = atMillis;
        }

        private void count(Task task, long fireMillis) {
            fires++;
            if (first.size() < MAX_NAMED && !first.contains(task)) {
                first.add(task);
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

        public int fires() {
            return fires;
        }

        public long peakMillis() {
            return peakMillis;
        }

        public int peakFires() {
            return peakFires;
        }

        /** The first tasks of the minute, at most {@value #MAX_NAMED}. */
        public List<Task> first() {
            return List.copyOf(first);
        }
    }

    /** The next fire time of a task. */
    private static final class Cursor {
        private final Task task;
        private final Schedule schedule;
        private long runs;
        private long fireMillis;

        Cursor(Task task, Schedule schedule, long runs, long fireMillis) {
            this.task = task;
            this.schedule = schedule;
            this.runs = runs;
            this.fireMillis = fireMillis;
        }

        /** Moves to the next fire time; false if there is none. */
        boolean advances() {
            runs--;
            fireMillis = schedule == null || runs == 0 ? Schedule.NEVER : schedule.afterRun(fireMillis);
            return fireMillis != Schedule.NEVER;
        }
    }
}
