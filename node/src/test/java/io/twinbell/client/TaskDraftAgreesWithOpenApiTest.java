package io.twinbell.client;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.fasterxml.jackson.databind.JsonNode;
import io.twinbell.node.api.OpenApiRoutes;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

class TaskDraftAgreesWithOpenApiTest {
    private static final JsonNode SCHEMAS = OpenApiRoutes.document().at("/components/schemas");
    private static final Instant WHEN = Instant.parse("2030-01-01T00:00:00Z");
    private static final Duration HOUR = Duration.ofHours(1);

    private static final RetryPolicy RETRY = RetryPolicy.attempts(3)
            .backoff(HOUR)
            .multiplier(2)
            .maxBackoff(HOUR)
            .jitter(0.1)
            .onlyOn("HTTP_5*")
            .notOn("HTTP_501");

    private static final MisfirePolicy MISFIRE =
            MisfirePolicy.fireAll(7).threshold(HOUR).order(MisfirePolicy.Preferred.OLDEST);

    private static final TaskSchedule CRON = TaskSchedule.cron("0 0 * * *")
            .dialect(TaskSchedule.CronSyntax.UNIX)
            .zone(ZoneId.of("Europe/Berlin"))
            .dstGap(TaskSchedule.ClockGap.SKIP)
            .dstOverlap(TaskSchedule.ClockOverlap.TWICE);

    @Test
    void a_task_has_exactly_the_fields_of_the_api() {
        TaskDraft all = TaskDraft.of(TaskAction.log("x"), CRON)
                .app("a")
                .name("n")
                .owner("o")
                .tags("t")
                .enabled(true)
                .start(WHEN)
                .end(WHEN)
                .calendars("c")
                .onExcluded(TaskDraft.ExcludedTime.NEXT)
                .maxRuns(1)
                .jitter(HOUR)
                .timeout(HOUR)
                .expireAfter(HOUR)
                .misfire(MISFIRE)
                .overlapQueue(3)
                .pauseOnFailure(2)
                .orphan(TaskDraft.OrphanHandling.RERUN)
                .onDoubt(TaskDraft.DoubtHandling.ASK)
                .retry(RETRY)
                .priority(3)
                .concurrencyKey("k")
                .then("n2")
                .thenOnFailure("n3")
                .data(Map.of("n", 1));
        assertEquals(members("TaskInput"), names(all.json()));
        assertEquals(members("Retry"), names(all.json().get("retry")));
        assertEquals(members("Misfire"), names(all.json().get("misfire")));
    }

    @Test
    void schedules_have_exactly_the_fields_of_the_api() {
        LocalDateTime local = LocalDateTime.of(2030, 1, 1, 0, 0);
        Set<String> all = new TreeSet<>();
        for (TaskSchedule schedule : List.of(
                CRON,
                TaskSchedule.rrule("FREQ=DAILY", local).alsoAt(List.of(local)).exceptAt(List.of(local)),
                TaskSchedule.every(HOUR)
                        .mode(TaskSchedule.IntervalMode.FIXED_DELAY)
                        .align(HOUR)
                        .first(TaskSchedule.FirstTime.AFTER_INTERVAL),
                TaskSchedule.at(WHEN).past(TaskSchedule.OverdueInstant.REFUSE),
                TaskSchedule.in(HOUR))) {
            all.addAll(names(schedule.json()));
        }
        assertEquals(members("Schedule"), all);
    }

    @Test
    void actions_have_exactly_the_fields_of_the_api() {
        assertEquals(
                members("HttpHandler"),
                names(TaskAction.http("http://127.0.0.1/")
                        .method("PUT")
                        .headers(Map.of("A", "b"))
                        .body("{}")
                        .successCodes("2xx")
                        .connectTimeout(HOUR)
                        .followRedirects(true)
                        .completion(TaskAction.HttpAction.EndedBy.CALLBACK)
                        .secret("KEY")
                        .signature(TaskAction.HttpAction.SignedBy.STANDARD_WEBHOOKS)
                        .cloudEvents(TaskAction.HttpAction.CloudEvents.BINARY)
                        .profile("partner")
                        .json));
        assertEquals(members("SqlHandler"), names(TaskAction.sql("select 1").parameters(Map.of("n", 1)).json));
        assertEquals(
                members("ShellHandler"),
                names(TaskAction.shell("true")
                        .environment(Map.of("A", "b"))
                        .workingDirectory(Path.of("/tmp"))
                        .successCodes(0, 3)
                        .json));
        assertEquals(members("LogHandler"), names(TaskAction.log("x").json));
        assertEquals(members("JavaHandler"), names(TaskAction.java(HandlerKey.of("k", String.class)).json));
    }

    @Test
    void enums_have_exactly_the_values_of_the_api() {
        assertValues(TaskSchedule.CronSyntax.class, "Schedule", "dialect");
        assertValues(TaskSchedule.ClockGap.class, "Schedule", "dstGap");
        assertValues(TaskSchedule.ClockOverlap.class, "Schedule", "dstOverlap");
        assertValues(TaskSchedule.IntervalMode.class, "Schedule", "mode");
        assertValues(TaskSchedule.FirstTime.class, "Schedule", "first");
        assertValues(TaskSchedule.OverdueInstant.class, "Schedule", "past");
        assertValues(MisfirePolicy.Preferred.class, "Misfire", "order");
        assertValues(TaskDraft.OrphanHandling.class, "TaskInput", "orphan");
        assertValues(TaskDraft.DoubtHandling.class, "TaskInput", "onDoubt");
        assertValues(TaskDraft.ExcludedTime.class, "TaskInput", "onExcluded");
        assertValues(TaskAction.HttpAction.EndedBy.class, "HttpHandler", "completion");
        assertEquals(texts(SCHEMAS.at("/Overlap/oneOf/0/enum")), constants(TaskDraft.OverlapPolicy.class));
        assertEquals(
                texts(SCHEMAS.at("/Misfire/properties/policy/enum")),
                Set.of(
                        MisfirePolicy.fireOnce().json().get("policy").asText(),
                        MisfirePolicy.skip().json().get("policy").asText(),
                        MISFIRE.json().get("policy").asText()));
    }

    private static void assertValues(Class<? extends Enum<?>> type, String schema, String member) {
        assertEquals(texts(SCHEMAS.path(schema).path("properties").path(member).path("enum")), constants(type));
    }

    private static Set<String> constants(Class<? extends Enum<?>> type) {
        Set<String> names = new HashSet<>();
        Arrays.stream(type.getEnumConstants()).forEach(constant -> names.add(constant.name()));
        return names;
    }

    private static Set<String> texts(JsonNode array) {
        Set<String> texts = new HashSet<>();
        array.forEach(element -> texts.add(element.asText()));
        return texts;
    }

    private static Set<String> members(String schema) {
        return names(SCHEMAS.path(schema).path("properties"));
    }

    private static Set<String> names(JsonNode object) {
        Set<String> names = new TreeSet<>();
        object.fieldNames().forEachRemaining(names::add);
        return names;
    }
}
