package io.twinbell.node.task.reader;

import static io.twinbell.node.json.Member.optional;
import static io.twinbell.node.json.Member.standard;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.twinbell.node.engine.task.ContentionPolicy;
import io.twinbell.node.engine.task.DoubtPolicy;
import io.twinbell.node.engine.task.Misfire;
import io.twinbell.node.engine.task.OrphanPolicy;
import io.twinbell.node.engine.task.Overlap;
import io.twinbell.node.json.Member;
import io.twinbell.node.json.MemberType;
import io.twinbell.node.schedule.OnExcluded;
import io.twinbell.node.schedule.Schedules;
import io.twinbell.persistence.limit.LimitKey;
import java.time.Duration;
import java.util.List;

/**
 * The members of a task: each with its type, its bounds, its default and what it does. Tasks are read by this table,
 * and the OpenAPI document, the editor of the console and the options of {@code task add} are made from it. A new member
 * needs a row here, a field of {@link io.twinbell.node.engine.task.TaskDefinition} with its line in
 * {@link DefinitionReader}, a method of the client's TaskDraft, and a row on the page TASKS.md.
 */
public final class TaskMembers {
    public static final int MAX_NAME = 200;
    public static final int MAX_TAGS = 50;
    public static final int MAX_TAG = 100;
    static final int MAX_CALENDARS = 16;
    static final int MAX_FOLLOWERS = 20;
    static final int MAX_CODES = 32;
    static final String ERROR_CODE = "[A-Z][A-Z0-9_]{0,62}\\*?";
    /** Answers nest the data in tasks and lists, and JSON readers accept 1000 levels in total. */
    static final int MAX_DEPTH = 100;

    private static final Duration MILLISECOND = Duration.ofMillis(1);
    private static final Duration WEEK = Duration.ofDays(7);
    private static final String NONE = "none";

    static final Member<String> APP = optional("app", MemberType.line(MAX_NAME), null);
    static final Member<String> NAME = optional("name", MemberType.line(MAX_NAME), "Unique within the app.");
    static final Member<String> OWNER = optional("owner", MemberType.lineOrNull(MAX_NAME), "A label to find tasks by.");
    static final Member<JsonNode> TAGS = optional(
            "tags",
            MemberType.list(null, 0, MAX_TAGS, MemberType.line(MAX_TAG).schema().get()),
            "Labels to find tasks by.");
    static final Member<Boolean> ENABLED = optional("enabled", MemberType.flag(), "true", "False: the task is PAUSED.");

    static final Member<JsonNode> SCHEDULE =
            optional("schedule", MemberType.described(MemberType.Kind.OTHER, "Schedule", null), null);
    static final Member<Long> START =
            optional("start", MemberType.instant(), "creation", "Intervals and \"in\" count from here.");
    static final Member<Long> END = optional("end", MemberType.instant(), "The task does not fire after this instant.");
    static final Member<JsonNode> CALENDARS = optional(
            "calendars",
            MemberType.list(null, 0, MAX_CALENDARS, MemberType.typed("string")),
            "Names of calendars. A fire time that one of them excludes is not a slot, unless onExcluded moves it.");
    static final Member<OnExcluded> ON_EXCLUDED = standard(
            "onExcluded",
            MemberType.choice(OnExcluded.class),
            OnExcluded.SKIP,
            "What happens to a fire time that a calendar excludes. NEXT and PREVIOUS: it moves to the same local time"
                    + " on the next or previous day that the calendars allow then, at most 31 days away; they require"
                    + " cron or rrule with at most 24 times a day, and no jitter.");
    static final Member<Long> MAX_RUNS = optional(
            "maxRuns",
            MemberType.whole(1, 1_000_000_000),
            "no limit",
            "The task is FINISHED when this many slots have been claimed to run.");
    static final Member<Duration> JITTER = optional(
            "jitter",
            MemberType.duration(Duration.ZERO, Schedules.MAX_JITTER),
            NONE,
            "Delays each fire time by up to this value. Calendars apply to the fire time before the delay.");

    static final Member<JsonNode> HANDLER =
            optional("handler", MemberType.described(MemberType.Kind.OTHER, "Handler", null), null);
    static final Member<Duration> TIMEOUT = optional(
            "timeout", MemberType.duration(MILLISECOND, WEEK), "none; PT30S for http", "The limit for one attempt.");
    static final Member<Duration> EXPIRE_AFTER = optional(
            "expireAfter",
            MemberType.duration(MILLISECOND, Duration.ofDays(365)),
            NONE,
            "How long after its fire time a slot may start. After that it is MISSED and does not run. Does not apply to"
                    + " triggers, chains, backfilled slots, reruns and further attempts.");

    static final Member<Misfire.Policy> MISFIRE_POLICY = standard(
            "policy",
            MemberType.choice(Misfire.Policy.class),
            Misfire.Policy.FIRE_ONCE,
            "FIRE_ONCE runs the newest slot, SKIP runs none, FIRE_ALL runs up to max, one after the other. One MISSED"
                    + " row stands for the other slots.");
    static final Member<Duration> MISFIRE_THRESHOLD = standard(
            "threshold",
            MemberType.duration(Duration.ZERO, Duration.ofDays(3650)),
            Duration.ofSeconds(30),
            "A slot that is later is a misfire.");
    static final Member<Long> MISFIRE_MAX = standard(
            "max",
            MemberType.whole(1, 1000),
            100L,
            "For FIRE_ALL: the maximum number of slots. A successor counts from zero.");
    static final Member<Misfire.Order> MISFIRE_ORDER = standard(
            "order",
            MemberType.choice(Misfire.Order.class),
            Misfire.Order.NEWEST,
            "For FIRE_ALL: which slots run if there are more than max. In both cases the oldest runs first.");
    static final Member<JsonNode> MISFIRE = optional(
            "misfire",
            MemberType.object(
                    "Misfire",
                    "What to do with the overdue slots if the oldest one is late by more than the threshold.",
                    List.of(MISFIRE_POLICY, MISFIRE_THRESHOLD, MISFIRE_MAX, MISFIRE_ORDER)),
            null);

    static final Member<Long> MAX_ATTEMPTS =
            standard("maxAttempts", MemberType.whole(1, 1000), 1L, "The number of attempts at most.");
    static final Member<Duration> BACKOFF = standard(
            "backoff",
            MemberType.duration(Duration.ZERO, WEEK),
            Duration.ofSeconds(1),
            "The delay before the second attempt.");
    static final Member<Double> MULTIPLIER =
            standard("multiplier", MemberType.number(1, 100), 2.0, "The factor for each further delay.");
    static final Member<Duration> MAX_BACKOFF = new Member<>(
            "maxBackoff",
            MemberType.duration(Duration.ZERO, WEEK),
            Duration.ofMinutes(1),
            "PT1M, or backoff if that is longer",
            "The longest delay.");
    static final Member<Double> RETRY_JITTER =
            standard("jitter", MemberType.number(0, 1), 0.1, "The share by which a delay varies at random.");
    private static final MemberType<JsonNode> ERROR_CODES = MemberType.list(
            "ErrorCodes",
            1,
            MAX_CODES,
            MemberType.typed("string")
                    .put("pattern", "^" + ERROR_CODE + "$")
                    .put(
                            "description",
                            "An error code such as HTTP_503. With \"*\" at its end: all codes that begin so, for"
                                    + " example HTTP_5*."));
    static final Member<JsonNode> ONLY_ON =
            optional("onlyOn", ERROR_CODES, "all", "Only failures with these error codes are retried.");
    static final Member<JsonNode> NOT_ON = optional(
            "notOn",
            ERROR_CODES,
            NONE,
            "Failures with these error codes are not retried, even if \"onlyOn\" names them.");
    public static final Member<JsonNode> RETRY = optional(
            "retry",
            MemberType.object(
                    "Retry",
                    "Another attempt follows a FAILED or TIMED_OUT one. The delay is backoff × multiplier ^ (attempts"
                            + " - 1), at most maxBackoff, and varies at random by the share \"jitter\".",
                    List.of(MAX_ATTEMPTS, BACKOFF, MULTIPLIER, MAX_BACKOFF, RETRY_JITTER, ONLY_ON, NOT_ON)),
            null);

    static final Member<Overlap> OVERLAP_POLICY =
            standard("policy", MemberType.choice(Overlap.class), Overlap.SKIP, null);
    static final Member<Long> OVERLAP_MAX =
            standard("max", MemberType.whole(1, 1000), 1L, "For QUEUE: how many slots may wait.");
    static final Member<JsonNode> OVERLAP =
            optional("overlap", MemberType.described(MemberType.Kind.CHOICE, "Overlap", TaskMembers::overlap), null);

    static final Member<Long> PAUSE_ON_FAILURE = optional(
            "pauseOnFailure",
            MemberType.whole(1, 1000),
            "never",
            "Pauses the task after this many executions in a row ended FAILED or TIMED_OUT.");
    static final Member<OrphanPolicy> ORPHAN = standard(
            "orphan",
            MemberType.choice(OrphanPolicy.class),
            OrphanPolicy.DROP,
            "What a successor does with an attempt that has no outcome. DROP records it as DROPPED: at most once. RERUN"
                    + " runs it again: at least once.");
    static final Member<DoubtPolicy> ON_DOUBT = optional(
            "onDoubt",
            MemberType.choice(DoubtPolicy.class),
            "as orphan",
            "What a successor does with a slot that may have run before, but whose row was lost when the master and the"
                    + " primary of the database failed together. ASK records it as DROPPED; a person decides on a"
                    + " rerun.");
    static final Member<Long> PRIORITY = standard(
            "priority",
            MemberType.whole(0, 9),
            (long) ContentionPolicy.USUAL_PRIORITY,
            "The due task with the highest priority goes first. One step equals 5 s of waiting, so no task starves.");
    static final Member<String> CONCURRENCY_KEY = optional(
            "concurrencyKey", MemberType.line(LimitKey.MAX_LENGTH), "A key that tasks share, to set a limit on.");
    static final Member<JsonNode> THEN = optional(
            "then",
            MemberType.list("Followers", 0, MAX_FOLLOWERS, follower()),
            "The tasks that each get a slot when an execution has SUCCEEDED.");
    static final Member<JsonNode> THEN_ON_FAILURE = optional(
            "thenOnFailure",
            THEN.type(),
            "The tasks that each get a slot when an execution has FAILED or TIMED_OUT after its retries.");
    static final Member<JsonNode> DATA = optional(
            "data",
            MemberType.described(MemberType.Kind.OTHER, null, JsonNodeFactory.instance::objectNode),
            null,
            "Any JSON, for the handler. With the handler's body and headers at most 65,536 bytes; at most " + MAX_DEPTH
                    + " levels of nesting.");

    /** All members, in the order in which answers have them. */
    public static final List<Member<?>> ALL = List.of(
            APP,
            NAME,
            OWNER,
            TAGS,
            ENABLED,
            SCHEDULE,
            START,
            END,
            CALENDARS,
            ON_EXCLUDED,
            MAX_RUNS,
            JITTER,
            HANDLER,
            TIMEOUT,
            EXPIRE_AFTER,
            RETRY,
            MISFIRE,
            OVERLAP,
            ORPHAN,
            ON_DOUBT,
            PAUSE_ON_FAILURE,
            PRIORITY,
            CONCURRENCY_KEY,
            THEN,
            THEN_ON_FAILURE,
            DATA);

    /** The members that may have a default of the app or of the cluster. */
    public static final List<Member<?>> WITH_DEFAULTS =
            List.of(TIMEOUT, EXPIRE_AFTER, RETRY, MISFIRE, OVERLAP, ORPHAN, ON_DOUBT, PAUSE_ON_FAILURE, PRIORITY);

    private TaskMembers() {}

    /** The policy alone, or with the length of its queue. */
    private static ObjectNode overlap() {
        ObjectNode schema = JsonNodeFactory.instance
                .objectNode()
                .put(
                        "description",
                        "What a slot does when another execution of its task is unfinished. SKIP: the slot is SKIPPED."
                                + " ALLOW: it runs beside the other execution. QUEUE: it waits, PENDING; slots beyond"
                                + " max are SKIPPED. CANCEL_RUNNING: it cancels the other execution and starts when"
                                + " that has ended. Default: SKIP.");
        schema.putArray("oneOf")
                .add(OVERLAP_POLICY.type().schema().get())
                .add(MemberType.object(
                                null, "A policy, and for QUEUE its length.", List.of(OVERLAP_POLICY, OVERLAP_MAX))
                        .schema()
                        .get()
                        .put("title", "OverlapQueue"));
        return schema;
    }

    /** A name in the app of the task, or an app and a name. */
    private static ObjectNode follower() {
        ObjectNode schema = JsonNodeFactory.instance.objectNode();
        schema.putArray("oneOf")
                .add(APP.type().schema().get().put("description", "The name of a task of the same app."))
                .add(MemberType.object(null, "A task by its app and name.", List.of(APP, NAME))
                        .schema()
                        .get()
                        .put("title", "FollowerName")
                        .set("required", JsonNodeFactory.instance.arrayNode().add(NAME.name())));
        return schema;
    }
}
