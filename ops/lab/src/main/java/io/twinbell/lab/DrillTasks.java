package io.twinbell.lab;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.twinbell.node.engine.task.Overlap;
import io.twinbell.tools.check.history.OwedSlotPlan;
import io.twinbell.tools.check.history.TaskPolicyFacts;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.OptionalLong;
import java.util.SplittableRandom;

/**
 * Generates tasks of every kind of schedule and every pair of policies, reproducible by the seed. Each repeating task
 * fires at least once a second. Their starts are spread over one second. In addition there is a beat, a task that calls
 * every 20 ms; without it, a measured gap would include the wait for the next due slot.
 */
final class DrillTasks {
    private static final long START_SPREAD_MILLIS = 1000;
    private static final int SHORTEST_MILLIS = 100;
    private static final int LONGEST_MILLIS = 1000;
    /** The longest fixed delay: it leaves room for the run itself within the same second. */
    private static final int LONGEST_DELAY_MILLIS = 900;

    private static final int BEATS = 10;
    private static final int BEAT_MILLIS = 20;

    private static final Duration MISFIRE_AFTER = Duration.ofSeconds(30);

    private static final int WORK_MILLIS = 6;
    private static final int LONG_WORK_MILLIS = 60;
    private static final int LONG_WORK_OF = 5;

    /** The mix of 20 tasks. Any six consecutive tasks at the beginning are of six kinds. */
    private static final List<Kind> MIX = List.of(
            Kind.RATE,
            Kind.DELAY,
            Kind.QUARTZ,
            Kind.UNIX,
            Kind.AT,
            Kind.IN,
            Kind.RATE,
            Kind.RATE,
            Kind.DELAY,
            Kind.RATE,
            Kind.QUARTZ,
            Kind.RATE,
            Kind.UNIX,
            Kind.RATE,
            Kind.AT,
            Kind.RATE,
            Kind.RATE,
            Kind.RATE,
            Kind.DELAY,
            Kind.RATE);

    private final SplittableRandom random;
    private final String app;
    private final String receiverUrl;
    private final long startMillis;
    private final Duration oneShotsWithin;

    private enum Kind {
        RATE,
        DELAY,
        QUARTZ,
        UNIX,
        AT,
        IN,
        BEAT
    }

    private record PlannedSchedule(ObjectNode schedule, OwedSlotPlan plan) {}

    /**
     * @param startMillis no task fires before this
     * @param oneShotsWithin one-shots fire within this time after the start
     */
    DrillTasks(SplittableRandom random, String app, String receiverUrl, long startMillis, Duration oneShotsWithin) {
        this.random = random;
        this.app = app;
        this.receiverUrl = receiverUrl;
        this.startMillis = startMillis;
        this.oneShotsWithin = oneShotsWithin;
    }

    /** @param count the number of tasks in addition to the beat */
    List<DrillTask> make(int count) {
        List<DrillTask> tasks = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            // The pair of policies shifts with every pass through the mix, so that each kind meets each pair.
            int policies = i + i / MIX.size();
            long start = startMillis + random.nextLong(START_SPREAD_MILLIS);
            tasks.add(make(i, MIX.get(i % MIX.size()), start, policies % 2 == 1, policies / 2 % 2 == 1));
        }
        for (int i = 0; i < BEATS; i++) {
            tasks.add(make(i, Kind.BEAT, startMillis + i * BEAT_MILLIS, i % 2 == 1, true));
        }
        return tasks;
    }

    private DrillTask make(int number, Kind kind, long start, boolean reruns, boolean overlaps) {
        PlannedSchedule timing = timing(kind, start);
        String name = String.format(Locale.ROOT, "%04d-%s", number, kind.name().toLowerCase(Locale.ROOT));
        ObjectNode task = JsonNodeFactory.instance.objectNode();
        task.put("app", app).put("name", name);
        task.set("schedule", timing.schedule());
        task.put("start", text(start));
        task.putObject("handler").put("type", "http").put("url", receiverUrl + "/" + work());
        task.put("orphan", reruns ? "RERUN" : "DROP").put("overlap", overlaps ? "ALLOW" : "SKIP");
        task.putObject("misfire").put("policy", "FIRE_ONCE").put("threshold", MISFIRE_AFTER.toString());
        return new DrillTask(name, task, timing.plan(), policies(reruns, overlaps));
    }

    private static TaskPolicyFacts policies(boolean reruns, boolean overlaps) {
        Overlap overlap = overlaps ? Overlap.ALLOW : Overlap.SKIP;
        return new TaskPolicyFacts(reruns, overlap, 1, OptionalLong.of(MISFIRE_AFTER.toMillis()), OptionalLong.empty());
    }

    private PlannedSchedule timing(Kind kind, long start) {
        ObjectNode schedule = JsonNodeFactory.instance.objectNode();
        OwedSlotPlan plan = switch (kind) {
            case RATE -> rate(schedule, start, random.nextInt(SHORTEST_MILLIS, LONGEST_MILLIS + 1));
            case BEAT -> rate(schedule, start, BEATS * BEAT_MILLIS);
            case DELAY -> delay(schedule, start);
            case QUARTZ -> everySecond(schedule.put("cron", "* * * * * ?"), "QUARTZ", start);
            case UNIX -> everySecond(schedule.put("cron", "* * * * * *"), "UNIX", start);
            case AT, IN -> once(schedule, kind, start);
        };
        return new PlannedSchedule(schedule, plan);
    }

    private static OwedSlotPlan rate(ObjectNode schedule, long start, int every) {
        schedule.put("every", Duration.ofMillis(every).toString()).put("mode", "FIXED_RATE");
        return new OwedSlotPlan.Grid(start, every);
    }

    private OwedSlotPlan delay(ObjectNode schedule, long start) {
        int every = random.nextInt(SHORTEST_MILLIS, LONGEST_DELAY_MILLIS + 1);
        schedule.put("every", Duration.ofMillis(every).toString()).put("mode", "FIXED_DELAY");
        return new OwedSlotPlan.Chain(start, every);
    }

    private static OwedSlotPlan everySecond(ObjectNode schedule, String dialect, long start) {
        schedule.put("dialect", dialect);
        return new OwedSlotPlan.Grid(-Math.floorDiv(-start, 1000L) * 1000, 1000);
    }

    private OwedSlotPlan once(ObjectNode schedule, Kind kind, long start) {
        long after = random.nextLong(oneShotsWithin.toMillis());
        if (kind == Kind.AT) {
            schedule.put("at", text(start + after));
        } else {
            schedule.put("in", Duration.ofMillis(after).toString());
        }
        return new OwedSlotPlan.Once(start + after);
    }

    private int work() {
        return random.nextInt(LONG_WORK_OF) == 0 ? random.nextInt(LONG_WORK_MILLIS) : random.nextInt(WORK_MILLIS);
    }

    private static String text(long millis) {
        return Instant.ofEpochMilli(millis).toString();
    }
}
