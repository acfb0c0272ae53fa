package io.twinbell.node.task.reader;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.twinbell.node.engine.task.ContentionPolicy;
import io.twinbell.node.engine.task.DoubtPolicy;
import io.twinbell.node.engine.task.Misfire;
import io.twinbell.node.engine.task.OrphanPolicy;
import io.twinbell.node.engine.task.Overlap;
import io.twinbell.node.engine.task.Retry;
import io.twinbell.node.engine.task.Schedule;
import io.twinbell.node.engine.task.ScheduleException;
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
import io.twinbell.persistence.limit.LimitKey;
import java.time.Duration;
import java.util.List;
import java.util.OptionalLong;

/**
 * Reads the part of a task that is stored as JSON, and writes it back with every default spelled out, so that a later
 * change of a default does not change existing tasks.
 */
public final class DefinitionReader {
    private static final Duration HTTP_TIMEOUT = Duration.ofSeconds(30);
    private static final Misfire STANDARD_MISFIRE = new Misfire(
            TaskMembers.MISFIRE_POLICY.standard(),
            TaskMembers.MISFIRE_THRESHOLD.standard(),
            TaskMembers.MISFIRE_MAX.standard().intValue(),
            TaskMembers.MISFIRE_ORDER.standard());
    private static final String OVERLAP = TaskMembers.OVERLAP.name();

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
     */
    public TaskDefinition read(OptionalLong startIfNoneGiven) {
        Schedule schedule = schedule(startIfNoneGiven);
        Long maxRuns = TaskMembers.MAX_RUNS.read(fields, normalized);
        HandlerSpec handler = handler();
        Duration timeout = timeout(handler);
        Duration expireAfter = TaskMembers.EXPIRE_AFTER.read(fields, normalized);
        Misfire misfire = misfire();
        Retry retry = RetryReader.read(fields.object("retry"), normalized.putObject("retry"));
        ParsedOverlap overlap = overlap();
        OrphanPolicy orphan = TaskMembers.ORPHAN.read(fields, normalized);
        DoubtPolicy onDoubt = TaskMembers.ON_DOUBT.read(fields, normalized);
        ContentionPolicy contentionPolicy = contentionPolicy();
        Long pauseOnFailure = TaskMembers.PAUSE_ON_FAILURE.read(fields, normalized);
        return new TaskDefinition(
                schedule,
                maxRuns == null ? TaskDefinition.UNLIMITED : maxRuns,
                handler,
                timeout,
                expireAfter,
                misfire,
                retry,
                overlap.overlap(),
                overlap.queueMax(),
                orphan,
                onDoubt == null ? DoubtPolicy.as(orphan) : onDoubt,
                data(),
                pauseOnFailure == null ? 0 : pauseOnFailure.intValue(),
                contentionPolicy,
                FollowersReader.read(fields, app, normalized));
    }

    public ObjectNode normalized() {
        return normalized;
    }

    private Schedule schedule(OptionalLong startIfNoneGiven) {
        JsonNode given = fields.required("schedule");
        Long start = start(startIfNoneGiven);
        Long end = TaskMembers.END.read(fields);
        List<BusinessCalendar> respected = RespectedCalendars.read(fields, calendars);
        RespectedCalendars.write(respected, normalized);
        OnExcluded onExcluded = RespectedCalendars.onExcluded(fields);
        if (onExcluded != OnExcluded.SKIP) {
            TaskMembers.ON_EXCLUDED.write(onExcluded, normalized);
        }
        Duration jitter = jitter();
        if (start != null && end != null && end < start) {
            return fields.error("end", "lies before the start, " + Instants.text(start));
        }
        if (given == null || start == null) {
            return null;
        }
        normalized.set("schedule", given);
        TaskMembers.START.write(start, normalized);
        TaskMembers.END.write(end, normalized);
        Window window = new Window(start, end == null ? Schedule.NEVER : end);
        try {
            Schedule parsed = Schedules.parse(given, window, identity);
            normalizeInstant();
            Schedule schedule = RespectedCalendars.restrict(fields, parsed, respected, onExcluded, window);
            return jitter == null ? schedule : Schedules.jittered(schedule, jitter, window, identity);
        } catch (ScheduleException e) {
            fields.errorBelow("/schedule" + e.pointer(), e.getMessage());
            return null;
        }
    }

    /** The instant of a one-shot is stored apart from what many tasks share, so it is written in one form. */
    private void normalizeInstant() {
        String at = normalized.path("schedule").path("at").textValue();
        if (at != null) {
            ObjectNode schedule = normalized.get("schedule").deepCopy();
            normalized.set("schedule", schedule.put("at", Instants.text(Instants.millis(at))));
        }
    }

    private Long start(OptionalLong startIfNoneGiven) {
        if (fields.json("start") != null) {
            return TaskMembers.START.read(fields);
        }
        return startIfNoneGiven.isPresent()
                ? Long.valueOf(startIfNoneGiven.getAsLong())
                : fields.error("start", "is required");
    }

    private Duration jitter() {
        Duration given = TaskMembers.JITTER.read(fields);
        Duration jitter = given == null || given.isZero() ? null : given;
        TaskMembers.JITTER.write(jitter, normalized);
        return jitter;
    }

    private HandlerSpec handler() {
        JsonNode given = fields.required("handler");
        return given == null
                ? null
                : HandlerReader.read(
                        fields.object("handler"), normalized.putObject("handler"), Values.sample(fields.json("data")));
    }

    private Duration timeout(HandlerSpec handler) {
        Duration given = TaskMembers.TIMEOUT.read(fields);
        Duration timeout = given == null && handler instanceof HandlerSpec.HttpCall ? HTTP_TIMEOUT : given;
        TaskMembers.TIMEOUT.write(timeout, normalized);
        return timeout;
    }

    private Misfire misfire() {
        Fields given = fields.object("misfire");
        ObjectNode written = normalized.putObject("misfire");
        Misfire misfire = given == null ? STANDARD_MISFIRE : misfire(given);
        TaskMembers.MISFIRE_POLICY.write(misfire.policy(), written);
        TaskMembers.MISFIRE_THRESHOLD.write(misfire.threshold(), written);
        boolean isOfInterest = misfire.policy() == Misfire.Policy.FIRE_ALL
                || given != null && (given.json("max") != null || given.json("order") != null);
        if (isOfInterest) {
            TaskMembers.MISFIRE_MAX.write((long) misfire.max(), written);
            TaskMembers.MISFIRE_ORDER.write(misfire.order(), written);
        }
        return misfire;
    }

    private static Misfire misfire(Fields given) {
        Misfire misfire = new Misfire(
                TaskMembers.MISFIRE_POLICY.read(given),
                TaskMembers.MISFIRE_THRESHOLD.read(given),
                TaskMembers.MISFIRE_MAX.read(given).intValue(),
                TaskMembers.MISFIRE_ORDER.read(given));
        given.refuseUnknown();
        return misfire;
    }

    /** @param queueMax the maximum number of waiting slots; 0 unless the policy is QUEUE */
    private record ParsedOverlap(Overlap overlap, int queueMax) {}

    /** The policy is a text, or an object for a longer queue. */
    private ParsedOverlap overlap() {
        JsonNode given = fields.json(OVERLAP);
        ParsedOverlap parsed = given != null && given.isObject() ? overlap(fields.object(OVERLAP)) : plainOverlap();
        if (parsed.queueMax() > 1) {
            normalized.putObject(OVERLAP).put("policy", parsed.overlap().name()).put("max", parsed.queueMax());
        } else {
            normalized.put(OVERLAP, parsed.overlap().name());
        }
        return parsed;
    }

    private ParsedOverlap plainOverlap() {
        Overlap overlap = fields.choice(OVERLAP, Overlap.class, TaskMembers.OVERLAP_POLICY.standard());
        return new ParsedOverlap(overlap, overlap == Overlap.QUEUE ? 1 : 0);
    }

    private static ParsedOverlap overlap(Fields given) {
        Overlap overlap = TaskMembers.OVERLAP_POLICY.read(given);
        Long max = TaskMembers.OVERLAP_MAX.given(given);
        given.refuseUnknown();
        if (overlap != Overlap.QUEUE) {
            if (max != null) {
                given.error("max", "is allowed with QUEUE only");
            }
            return new ParsedOverlap(overlap, 0);
        }
        return new ParsedOverlap(overlap, (max == null ? TaskMembers.OVERLAP_MAX.standard() : max).intValue());
    }

    private ContentionPolicy contentionPolicy() {
        int priority = TaskMembers.PRIORITY.read(fields, normalized).intValue();
        String key = TaskMembers.CONCURRENCY_KEY.read(fields, normalized);
        if (key != null && LimitKey.isReserved(key)) {
            fields.error(
                    TaskMembers.CONCURRENCY_KEY.name(),
                    "must not begin with " + LimitKey.PREFIXES
                            + ": these prefixes are for limits on apps, tags and handlers");
        }
        return new ContentionPolicy(priority, key);
    }

    private String data() {
        JsonNode data = fields.json("data");
        if (data == null) {
            return null;
        }
        if (isTooDeep(data)) {
            return fields.error("data", "has more than " + TaskMembers.MAX_DEPTH + " levels of nesting");
        }
        normalized.set("data", data);
        return StrictJson.write(data);
    }

    public static boolean isTooDeep(JsonNode data) {
        return isDeeperThan(TaskMembers.MAX_DEPTH, data);
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
