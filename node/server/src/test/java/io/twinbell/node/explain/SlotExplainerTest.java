package io.twinbell.node.explain;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.twinbell.node.engine.decision.SlotDecision;
import io.twinbell.node.engine.task.Schedule;
import io.twinbell.node.engine.task.TaskDefinition;
import io.twinbell.node.execution.store.Execution;
import io.twinbell.node.explain.SlotExplainer.SlotExplanation;
import io.twinbell.node.json.StrictJson;
import io.twinbell.node.schedule.BusinessCalendar;
import io.twinbell.node.schedule.Calendars;
import io.twinbell.node.schedule.TimeRanges;
import io.twinbell.node.schedule.Window;
import io.twinbell.node.task.PassedSlotFinder;
import io.twinbell.node.task.TaskChanges;
import io.twinbell.node.task.TaskReader;
import io.twinbell.persistence.cluster.Pause;
import io.twinbell.persistence.ledger.DoubtReasons;
import io.twinbell.persistence.ledger.ExecutionState;
import io.twinbell.persistence.task.NewTask;
import io.twinbell.persistence.task.Task;
import io.twinbell.persistence.task.TaskPause;
import io.twinbell.persistence.task.TaskProgress;
import io.twinbell.persistence.task.TaskState;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneId;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What {@link SlotCausesTest} and {@link RowCausesTest} cannot say in a table. */
class SlotExplainerTest {
    private static final ZoneId BERLIN = ZoneId.of("Europe/Berlin");
    private static final long CREATED = at("2026-01-01T00:00:00Z");
    private static final long NOW = at("2026-06-15T12:00:00Z");
    private static final String DAILY = "{\"cron\":\"0 30 2 * * ?\",\"zone\":\"Europe/Berlin\"}";
    /** The calendar "holidays" excludes a day; any other name stands for a calendar that allows that day alone. */
    private static final Calendars CALENDARS = name -> new BusinessCalendar(
            name,
            1,
            name.equals("holidays") ? BusinessCalendar.Mode.EXCLUDE : BusinessCalendar.Mode.ALLOW,
            BERLIN,
            new BusinessCalendar.Times(day("2026-06-20"), TimeRanges.NONE, TimeRanges.NONE));

    private static final Set<SlotCause> NAMED = EnumSet.noneOf(SlotCause.class);

    private String schedule = DAILY;
    private String more = "";
    private UnaryOperator<TaskProgress> progress = UnaryOperator.identity();
    private Execution row;
    private Pause pause;
    private String noMaster;
    private List<SlotFacts.FullLimit> fullLimits = List.of();
    private boolean isRemoved;

    /** By a case of this class, or by a row of the tables. */
    @AfterAll
    static void every_cause_is_named_by_a_case() {
        Set<String> cells = Stream.of(SlotCausesTest.class, RowCausesTest.class)
                .flatMap(tables -> Stream.of(tables.getDeclaredMethods()))
                .filter(method -> method.isAnnotationPresent(CsvSource.class))
                .map(method -> method.getAnnotation(CsvSource.class).textBlock())
                .flatMap(rows -> Stream.of(rows.split("[|\n]")))
                .map(String::strip)
                .collect(Collectors.toSet());
        EnumSet.allOf(SlotCause.class).stream()
                .filter(cause -> cells.contains(cause.name()))
                .forEach(NAMED::add);
        assertEquals(EnumSet.allOf(SlotCause.class), NAMED);
    }

    private static long at(String instant) {
        return Instant.parse(instant).toEpochMilli();
    }

    private static TimeRanges day(String date) {
        long start = LocalDate.parse(date).toEpochDay() * 86_400;
        return new TimeRanges.Collector().add(start, start + 86_400).merged();
    }

    private SlotExplanation explain(String at) {
        SlotExplanation explanation = SlotExplainer.explain(SlotQuestion.of(at, BERLIN), facts());
        NAMED.add(explanation.cause());
        return explanation;
    }

    private SlotExplanation expect(SlotCause cause, String at) {
        SlotExplanation explanation = explain(at);
        assertEquals(cause, explanation.cause(), explanation.sentence());
        return explanation;
    }

    private SlotExplanation expect(SlotCause cause, String at, String inSentence) {
        SlotExplanation explanation = expect(cause, at);
        assertTrue(explanation.sentence().contains(inSentence), explanation.sentence());
        return explanation;
    }

    private SlotFacts facts() {
        SlotFacts.Situation situation = new SlotFacts.Situation(
                NOW, pause == null ? List.of() : List.of(pause), noMaster, Map.of(), List.of(), fullLimits, false);
        if (isRemoved) {
            return new SlotFacts(
                    null,
                    SlotFacts.Definition.NONE,
                    row,
                    null,
                    OptionalLong.empty(),
                    situation,
                    SlotFacts.Evidence.NONE);
        }
        NewTask stored = stored(schedule, more);
        TaskProgress now = stored.progress().at(TaskState.ACTIVE, null, OptionalLong.of(at("2026-06-16T00:30:00Z")));
        Task task = new Task(1, 1, stored.content(), progress.apply(now), CREATED, CREATED);
        return new SlotFacts(
                task,
                new SlotFacts.Definition(
                        parsed(stored), parsed(stored("{\"cron\":\"0 30 2 * * ?\"}", "")), null, null, window(stored)),
                row,
                null,
                OptionalLong.empty(),
                situation,
                SlotFacts.Evidence.NONE);
    }

    private static NewTask stored(String schedule, String more) {
        ObjectNode body = (ObjectNode) StrictJson.read(("{\"app\":\"shop\",\"name\":\"close-day\",\"schedule\":"
                        + schedule + more + ",\"handler\":{\"type\":\"java\",\"key\":\"close\"}}")
                .getBytes(StandardCharsets.UTF_8));
        return TaskReader.newTask(body, CREATED, CALENDARS);
    }

    private static Window window(NewTask stored) {
        JsonNode definition = StrictJson.readStored(stored.content().definition());
        return new Window(
                at(definition.get("start").asText()),
                definition.hasNonNull("end") ? at(definition.get("end").asText()) : Schedule.NEVER);
    }

    private static TaskDefinition parsed(NewTask stored) {
        return TaskReader.definition("shop", "close-day", stored.content().definition(), CALENDARS);
    }

    private Execution row(ExecutionState state, String reason) {
        long fire = at("2026-06-10T00:30:00Z");
        return new Execution(
                new Execution.Slots(1, fire, OptionalLong.empty(), 1),
                "shop",
                "close-day",
                state,
                null,
                new Execution.LatestClaim(1, 0, 0, "a", OptionalLong.of(7), null, null),
                new Execution.Times(
                        OptionalLong.of(fire),
                        OptionalLong.of(fire + 4),
                        OptionalLong.of(fire + 1204),
                        OptionalLong.of(fire + 9000)),
                new Execution.Outcome(null, null, null, reason, null),
                null);
    }

    @Test
    void a_waiting_slot_says_when_it_expires_unless_a_rerun_requested_it() {
        more = ",\"expireAfter\":\"PT10M\"";
        row = row(ExecutionState.PENDING, null);
        expect(SlotCause.WAITS_FOR_RUN, "2026-06-10 02:30", "It expires at");
        row = new Execution(
                row.slots(),
                row.app(),
                row.name(),
                row.state(),
                null,
                new Execution.LatestClaim(1, 0, 1, null, OptionalLong.empty(), null, null),
                row.times(),
                row.outcome(),
                null);
        assertFalse(explain("2026-06-10 02:30").sentence().contains("expires"));
    }

    private void expectRow(SlotCause cause, ExecutionState state, String reason) {
        row = row(state, reason);
        SlotExplanation explanation = expect(cause, "2026-06-10 02:30");
        assertEquals(OptionalLong.of(at("2026-06-10T00:30:00Z")), explanation.fireMillis());
        if (reason != null) {
            assertTrue(explanation.sentence().contains(reason), explanation.sentence());
        }
    }

    @Test
    void the_reasons_that_the_engine_writes_are_known() {
        expectRow(SlotCause.ZONE_RULES_CHANGED, ExecutionState.SKIPPED, SlotDecision.RULES_CHANGED);
        expectRow(SlotCause.MOVED_BY_HAND, ExecutionState.SKIPPED, PassedSlotFinder.MOVED);
        expectRow(SlotCause.RESTORED, ExecutionState.MISSED, SlotDecision.RESTORED + "; adopted by bob: restore");
        expectRow(SlotCause.EXPIRED, ExecutionState.MISSED, SlotDecision.expired(Duration.ofMinutes(10)));
        expectRow(SlotCause.TOO_OLD, ExecutionState.MISSED, SlotDecision.TOO_OLD);
        expectRow(SlotCause.TASK_REMOVED, ExecutionState.MISSED, TaskChanges.REMOVED);
        expectRow(SlotCause.IN_DOUBT, ExecutionState.DROPPED, DoubtReasons.DROPPED);
    }

    @Test
    void a_local_time_that_the_clocks_skipped_fires_after_the_gap() {
        progress = now -> now.at(TaskState.ACTIVE, null, OptionalLong.of(at("2026-03-29T01:00:00Z")));
        expect(SlotCause.WAITS_FOR_CLAIM, "2026-03-29 02:30", "does not exist in Europe/Berlin");
        expect(SlotCause.SHIFTED_BY_CLOCK_CHANGE, "2027-03-28 02:30", "the clocks went forward to 2027-03-28 03:00:00");
    }

    @Test
    void an_instant_that_is_no_fire_time_names_the_nearest_ones() {
        SlotExplanation explanation = expect(SlotCause.NOT_A_FIRE_TIME, "2026-06-10 02:31");
        assertEquals(OptionalLong.of(at("2026-06-10T00:30:00Z")), explanation.previousMillis());
        assertEquals(OptionalLong.of(at("2026-06-11T00:30:00Z")), explanation.nextMillis());
        assertTrue(explanation.fireMillis().isEmpty());
    }

    @Test
    void a_due_slot_without_a_row_names_what_it_waits_for() {
        progress = now -> now.at(TaskState.ACTIVE, null, OptionalLong.of(at("2026-06-15T00:30:00Z")));
        expect(SlotCause.WAITS_FOR_CLAIM, "2026-06-15 02:30", "due for 11h30m");
        fullLimits = List.of(new SlotFacts.FullLimit("app:shop", "5 of 5 run"));
        expect(SlotCause.WAITS_FOR_LIMIT, "2026-06-15 02:30", "app:shop (5 of 5 run)");
        noMaster = "automatic takeover is on hold";
        expect(SlotCause.NO_MASTER, "2026-06-15 02:30", "automatic takeover is on hold");
        pause = new Pause(at("2026-06-14T00:00:00Z"), Long.MAX_VALUE, "data centre moves", "bob", false, null);
        expect(SlotCause.FIRING_PAUSED, "2026-06-15 02:30");
        progress = now -> now.at(TaskState.ACTIVE, null, OptionalLong.of(at("2026-06-15T00:30:00Z")))
                .paused("wrong figures", TaskPause.NONE);
        expect(SlotCause.TASK_PAUSED, "2026-06-15 02:30", "SKIPPED on resume");
    }

    @Test
    void a_removed_task_without_a_row_was_removed() {
        isRemoved = true;
        expect(SlotCause.TASK_REMOVED, "2026-05-24 02:30");
    }

    @Test
    void a_calendar_that_allows_little_excludes_no_instant_that_is_no_fire_time() {
        more = ",\"calendars\":[\"only-that-day\"]";
        progress = now -> now.at(TaskState.ACTIVE, null, OptionalLong.of(at("2026-06-20T00:30:00Z")));
        expect(SlotCause.NOT_A_FIRE_TIME, "2026-06-20 02:29");
        expect(SlotCause.EXCLUDED_BY_CALENDAR, "2026-06-19 02:30", "only-that-day");
        expect(SlotCause.WILL_FIRE, "2026-06-20 02:30");
    }

    @ParameterizedTest
    @CsvSource({
        "yesterday",
        "2026-06-31 02:30",
        "2026-06-30 25:00",
        "1969-01-01T00:00:00Z",
        "2200-01-01T00:00:00Z",
        "2026-06-10T24:00:00Z",
        "2026-06-10T23:59:60Z",
        "''"
    })
    void a_text_that_is_no_time_is_refused(String text) {
        assertThrows(IllegalArgumentException.class, () -> SlotQuestion.of(text, BERLIN));
    }

    @ParameterizedTest
    @CsvSource({
        "2026-06-10 02:30, 60000",
        "2026-06-10T02:30:00, 1000",
        "2026-06-10T00:30Z, 60000",
        "2026-06-10T00:30:00Z, 1000",
        "2026-06-10T00:30:00.000Z, 1",
        "2026-06-10T02:30+02:00, 60000",
        "2026-06-10T02:30+02, 60000",
        "2026-06-10T00:30:00.000456Z, 1",
        "2026-06-10 02:30:00+02, 1000",
        "2026-06-10 02:30:00.000+02:00, 1"
    })
    void the_precision_of_the_text_is_the_span(String text, long spanMillis) {
        SlotQuestion question = SlotQuestion.of(text, BERLIN);
        assertEquals(at("2026-06-10T00:30:00Z"), question.fromMillis());
        assertEquals(spanMillis, question.untilMillis() - question.fromMillis());
    }
}
