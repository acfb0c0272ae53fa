package io.twinbell.node.task.reader;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.twinbell.node.engine.task.ContentionPolicy;
import io.twinbell.node.engine.task.DoubtPolicy;
import io.twinbell.node.engine.task.Misfire;
import io.twinbell.node.engine.task.OrphanPolicy;
import io.twinbell.node.engine.task.Retry;
import io.twinbell.node.engine.task.Schedule;
import io.twinbell.node.engine.task.ScheduleException;
import io.twinbell.node.engine.task.ScheduleTypeException;
import io.twinbell.node.engine.task.TaskDefinition;
import io.twinbell.node.json.Fields;
import io.twinbell.node.json.Instants;
import io.twinbell.node.json.StrictJson;
import io.twinbell.node.schedule.BusinessCalendar;
import io.twinbell.node.schedule.Calendars;
import io.twinbell.node.schedule.OnExcluded;
import io.twinbell.node.schedule.Schedules;
import io.twinbell.node.schedule.Window;
import io.twinbell.node.task.definition.HandlerSpec;
import io.twinbell.node.template.Values;
import java.time.Duration;
import java.util.List;
import java.util.OptionalLong;

/**
 * Reads the part of a task that is stored as JSON, and writes it back with every default spelled out, so that a later
 * change of a default does not change existing tasks.
 */
public final class DefinitionReader {
    private static final long MAX_RUNS = 1_000_000_000;
    /** Answers nest the data in tasks and lists, and JSON readers accept 1000 levels in total. */
    private static final int MAX_DEPTH = 100;

    private static final Duration MAX_TIMEOUT = Duration.ofDays(7);
    private static final Duration MAX_EXPIRE_AFTER = Duration.ofDays(365);
    private static final Duration HTTP_TIMEOUT = Duration.ofSeconds(30);

    private final Fields fields;
    private final String app;
    private final String identity;
    private final Calendars calendars;
    private final ObjectNode normalized = JsonNodeFactory.instance.objectNode();

    public DefinitionReader(Fields fields, String app, String name, Calendars calendars) {
        this.fields = fields;
        this.app = app;
        identity = app + "/" + name;
        this.calendars = calendars;
    }

    /**
     * @param startIfNoneGiven empty for a stored definition, which always has a start
     * @return valid only if no error was collected
     * @throws ScheduleTypeException if this node cannot compute the fire times of a stored definition now
     */
    public TaskDefinition read(OptionalLong startIfNoneGiven) {
        Schedule schedule = schedule(startIfNoneGiven);
        long maxRuns = maxRuns();
        HandlerSpec handler = handler();
        Duration timeout = timeout(handler);
        Duration expireAfter = expireAfter();
        Misfire misfire = MisfireReader.read(fields.object("misfire"), normalized.putObject("misfire"));
        Retry retry = RetryReader.read(fields.object("retry"), normalized.putObject("retry"));
        OverlapReader.ParsedOverlap overlap = OverlapReader.read(fields, normalized);
        OrphanPolicy orphan = fields.choice("orphan", OrphanPolicy.class, OrphanPolicy.DROP);
        normalized.put("orphan", orphan.name());
        DoubtPolicy onDoubt = onDoubt(orphan);
        ContentionPolicy contentionPolicy = ContentionPolicyReader.read(fields, normalized);
        return new TaskDefinition(
                schedule,
                maxRuns,
                handler,
                timeout,
                expireAfter,
                misfire,
                retry,
                overlap.overlap(),
                overlap.queueMax(),
                orphan,
                onDoubt,
                data(),
                pauseOnFailure(),
                contentionPolicy,
                FollowersReader.read(fields, app, normalized));
    }

    /** Defaults to the orphan policy. */
    private DoubtPolicy onDoubt(OrphanPolicy orphan) {
        DoubtPolicy given = fields.choice("onDoubt", DoubtPolicy.class, null);
        if (given == null) {
            return orphan == OrphanPolicy.RERUN ? DoubtPolicy.RERUN : DoubtPolicy.DROP;
        }
        normalized.put("onDoubt", given.name());
        return given;
    }

    public ObjectNode normalized() {
        return normalized;
    }

    private Schedule schedule(OptionalLong startIfNoneGiven) {
        JsonNode given = fields.required("schedule");
        Long start = start(startIfNoneGiven);
        Long end = fields.instant("end");
        List<BusinessCalendar> respected = RespectedCalendars.read(fields, calendars);
        RespectedCalendars.write(respected, normalized);
        OnExcluded onExcluded = RespectedCalendars.onExcluded(fields);
        if (onExcluded != OnExcluded.SKIP) {
            normalized.put("onExcluded", onExcluded.name());
        }
        Duration jitter = jitter();
        if (start != null && end != null && end < start) {
            return fields.error("end", "lies before the start, " + Instants.text(start));
        }
        if (given == null || start == null) {
            return null;
        }
        normalized.set("schedule", given);
        normalized.put("start", Instants.text(start));
        if (end != null) {
            normalized.put("end", Instants.text(end));
        }
        Window window = new Window(start, end == null ? Schedule.NEVER : end);
        try {
            Schedule schedule = RespectedCalendars.restrict(
                    fields,
                    Schedules.parse(given, window, identity, calendars.scheduleTypes()),
                    respected,
                    onExcluded,
                    window);
            return jitter == null ? schedule : Schedules.jittered(schedule, jitter, window, identity);
        } catch (ScheduleException e) {
            if (e instanceof ScheduleTypeException unavailable && startIfNoneGiven.isEmpty()) {
                throw unavailable;
            }
            fields.errorBelow("/schedule" + e.pointer(), e.getMessage());
            return null;
        }
    }

    private Long start(OptionalLong startIfNoneGiven) {
        if (fields.json("start") != null) {
            return fields.instant("start");
        }
        return startIfNoneGiven.isPresent()
                ? Long.valueOf(startIfNoneGiven.getAsLong())
                : fields.error("start", "is required");
    }

    private Duration jitter() {
        Duration jitter = fields.duration("jitter", Duration.ZERO, Schedules.MAX_JITTER);
        if (jitter == null || jitter.isZero()) {
            return null;
        }
        normalized.put("jitter", jitter.toString());
        return jitter;
    }

    private long maxRuns() {
        Long maxRuns = fields.integer("maxRuns", 1, MAX_RUNS);
        if (maxRuns == null) {
            return TaskDefinition.UNLIMITED;
        }
        normalized.put("maxRuns", maxRuns);
        return maxRuns;
    }

    private HandlerSpec handler() {
        JsonNode given = fields.required("handler");
        return given == null
                ? null
                : HandlerReader.read(
                        fields.object("handler"), normalized.putObject("handler"), Values.sample(fields.json("data")));
    }

    private Duration timeout(HandlerSpec handler) {
        Duration given = fields.duration("timeout", Duration.ofMillis(1), MAX_TIMEOUT);
        Duration timeout = given == null && handler instanceof HandlerSpec.HttpCall ? HTTP_TIMEOUT : given;
        if (timeout != null) {
            normalized.put("timeout", timeout.toString());
        }
        return timeout;
    }

    private Duration expireAfter() {
        Duration expireAfter = fields.duration("expireAfter", Duration.ofMillis(1), MAX_EXPIRE_AFTER);
        if (expireAfter != null) {
            normalized.put("expireAfter", expireAfter.toString());
        }
        return expireAfter;
    }

    private int pauseOnFailure() {
        Long failures = fields.integer("pauseOnFailure", 1, 1000);
        if (failures == null) {
            return 0;
        }
        normalized.put("pauseOnFailure", failures);
        return failures.intValue();
    }

    private String data() {
        JsonNode data = fields.json("data");
        if (data == null) {
            return null;
        }
        if (isTooDeep(data)) {
            return fields.error("data", "has more than " + MAX_DEPTH + " levels of nesting");
        }
        normalized.set("data", data);
        return StrictJson.write(data);
    }

    public static boolean isTooDeep(JsonNode data) {
        return isDeeperThan(MAX_DEPTH, data);
    }

    /** The input is bounded, so the recursion is bounded too. */
    private static boolean isDeeperThan(int levels, JsonNode node) {
        if (!node.isContainerNode()) {
            return false;
        }
        if (levels == 0) {
            return true;
        }
        for (JsonNode child : node) {
            if (isDeeperThan(levels - 1, child)) {
                return true;
            }
        }
        return false;
    }
}
