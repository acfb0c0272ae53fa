package io.twinbell.node.explain;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.twinbell.node.engine.task.Schedule;
import io.twinbell.node.engine.task.TaskDefinition;
import io.twinbell.node.execution.store.Execution;
import io.twinbell.node.execution.store.VerificationSource.Planned;
import io.twinbell.node.explain.SlotExplainer.SlotExplanation;
import io.twinbell.node.json.StrictJson;
import io.twinbell.node.schedule.BusinessCalendar;
import io.twinbell.node.schedule.Calendars;
import io.twinbell.node.schedule.TimeRanges;
import io.twinbell.node.schedule.Window;
import io.twinbell.node.task.TaskReader;
import io.twinbell.persistence.cluster.Pause;
import io.twinbell.persistence.ledger.ExecutionState;
import io.twinbell.persistence.task.NewTask;
import io.twinbell.persistence.task.Task;
import io.twinbell.persistence.task.TaskPause;
import io.twinbell.persistence.task.TaskProgress;
import io.twinbell.persistence.task.TaskState;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Prepared instants without a ledger row, each with the cause and the decisive words of its explanation. */
class SlotCausesTest {
    private static final ZoneId BERLIN = ZoneId.of("Europe/Berlin");
    private static final long CREATED = at("2026-01-01T00:00:00Z");
    private static final long NOW = at("2026-06-15T12:00:00Z");
    private static final String CRON = "{'cron':'0 30 2 * * ?','zone':'Europe/Berlin'}";
    private static final String SATURDAYS = "{'cron':'0 30 2 ? * SAT','zone':'Europe/Berlin'}";
    /** Every calendar excludes one Saturday. */
    private static final Calendars CALENDARS = name -> new BusinessCalendar(
            name,
            1,
            BusinessCalendar.Mode.EXCLUDE,
            BERLIN,
            new BusinessCalendar.Times(day("2026-06-20"), TimeRanges.NONE, TimeRanges.NONE));

    private enum Prepared {
        DAILY(CRON, ""),
        TWICE("{'cron':'0 30 2 * * ?','zone':'Europe/Berlin','dstOverlap':'TWICE'}", ""),
        GAP_SKIPPED("{'cron':'0 30 2 * * ?','zone':'Europe/Berlin','dstGap':'SKIP'}", ""),
        HOURLY("{'cron':'0 0 * * * ?','zone':'Europe/Berlin'}", ""),
        AT_THREE("{'cron':'0 0 3 * * ?','zone':'Europe/Berlin'}", ""),
        COUNTED("{'rrule':'FREQ=DAILY;COUNT=3','dtstart':'2026-06-01T02:30','zone':'Europe/Berlin'}", ""),
        ONCE("{'at':'2026-06-20T00:30:00Z'}", ""),
        EVERY_HOUR("{'every':'PT1H'}", ""),
        AFTER_RUN("{'every':'PT1H','mode':'FIXED_DELAY'}", ""),
        WINDOWED(CRON, ",'start':'2026-02-01T00:00:00Z','end':'2026-07-01T00:00:00Z'"),
        LATE_START(CRON, ",'start':'2026-06-20T10:00:00Z'"),
        THREE_RUNS(CRON, ",'maxRuns':3"),
        EXPIRING(CRON, ",'expireAfter':'PT10M'"),
        HOLIDAY(SATURDAYS, ",'calendars':['holidays']"),
        HOLIDAY_NEXT(SATURDAYS, ",'calendars':['holidays'],'onExcluded':'NEXT'"),
        HOLIDAY_PREVIOUS(SATURDAYS, ",'calendars':['holidays'],'onExcluded':'PREVIOUS'"),
        TWO_CALENDARS(SATURDAYS, ",'calendars':['holidays','stocktaking']");

        private final String schedule;
        private final String more;

        Prepared(String schedule, String more) {
            this.schedule = schedule;
            this.more = more;
        }

        NewTask stored() {
            return stored(schedule, more);
        }

        TaskDefinition inUtc() {
            boolean hasZone = schedule.contains("'zone'");
            return hasZone ? parsed(stored(schedule.replace("Europe/Berlin", "UTC"), "")) : null;
        }

        private static NewTask stored(String schedule, String more) {
            String body = "{'app':'shop','name':'close-day','schedule':" + schedule + more
                    + ",'handler':{'type':'java','key':'close'}}";
            return TaskReader.newTask(
                    (ObjectNode) StrictJson.read(body.replace('\'', '"').getBytes(StandardCharsets.UTF_8)),
                    CREATED,
                    CALENDARS);
        }
    }

    private Prepared prepared = Prepared.DAILY;
    private TaskState state = TaskState.ACTIVE;
    private String reason;
    private TaskPause pausedBy = TaskPause.NONE;
    private OptionalLong next = OptionalLong.empty();
    private long runs;
    private SlotFacts.PauseBegin pauseBegin;
    private Execution row;
    private final List<Pause> pauses = new ArrayList<>();
    private String noMaster;
    private Map<String, Long> deleted = Map.of();
    private List<SlotFacts.FullLimit> fullLimits = List.of();
    private boolean isAtQuota;
    private Planned planned;

    private static long at(String instant) {
        return Instant.parse(instant).toEpochMilli();
    }

    private static TimeRanges day(String date) {
        long start = LocalDate.parse(date).toEpochDay() * 86_400;
        return new TimeRanges.Collector().add(start, start + 86_400).merged();
    }

    private static TaskDefinition parsed(NewTask stored) {
        return TaskReader.definition("shop", "close-day", stored.content().definition(), CALENDARS);
    }

    private static Window window(NewTask stored) {
        JsonNode definition = StrictJson.readStored(stored.content().definition());
        return new Window(
                at(definition.get("start").asText()),
                definition.hasNonNull("end") ? at(definition.get("end").asText()) : Schedule.NEVER);
    }

    /** The next fire time that the task has now, unless the case sets another one. */
    private OptionalLong next(Schedule schedule) {
        if (next.isPresent() || state == TaskState.FINISHED || state == TaskState.ERROR) {
            return next;
        }
        long following = schedule.followsTheRun() ? at("2026-06-15T13:00:00Z") : schedule.next(NOW);
        return following == Schedule.NEVER ? OptionalLong.empty() : OptionalLong.of(following);
    }

    private void expect(SlotCause cause, String at, String words) {
        NewTask stored = prepared.stored();
        TaskDefinition definition = parsed(stored);
        TaskProgress progress = new TaskProgress(
                state, reason, next(definition.schedule()), OptionalLong.empty(), pausedBy, runs, false);
        SlotExplanation explanation = SlotExplainer.explain(
                SlotQuestion.of(at, BERLIN),
                new SlotFacts(
                        new Task(1, 1, stored.content(), progress, CREATED, CREATED),
                        new SlotFacts.Definition(definition, prepared.inUtc(), null, planned, window(stored)),
                        row,
                        null,
                        OptionalLong.empty(),
                        new SlotFacts.Situation(NOW, pauses, noMaster, deleted, List.of(), fullLimits, isAtQuota),
                        new SlotFacts.Evidence(1, true, pauseBegin, null)));
        assertEquals(cause, explanation.cause(), explanation.sentence());
        assertTrue(explanation.sentence().contains(words), explanation.sentence());
        assertFalse(explanation.sentence().contains("null"), explanation.sentence());
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            DAILY      | 2026-06-20 02:30     | WILL_FIRE       | The task will fire at 2026-06-20 02:30:00 Europe/Berlin.
            DAILY      | 2026-06-20T00:30:00Z | WILL_FIRE       | The task will fire at 2026-06-20 02:30:00 Europe/Berlin.
            DAILY      | 2026-06-10 02:31     | NOT_A_FIRE_TIME | ; the fire time before is 2026-06-10 02:30:00 Europe/Berlin, after it 2026-06-11 02:30:00
            DAILY      | 2026-06-20 02:29:59  | NOT_A_FIRE_TIME | ; the fire time before is 2026-06-19 02:30:00 Europe/Berlin, after it 2026-06-20 02:30:00
            DAILY      | 2025-12-24 02:30     | BEFORE_CREATION | The task was created later, at 2026-01-01 01:00:00
            WINDOWED   | 2026-01-10 02:30     | BEFORE_START    | starts at 2026-02-01 01:00:00 Europe/Berlin; the fire time after is 2026-02-01 02:30:00
            WINDOWED   | 2026-06-30 02:30     | WILL_FIRE       | The task will fire at 2026-06-30 02:30:00
            WINDOWED   | 2026-07-10 02:30     | AFTER_END       | ends at 2026-07-01 02:00:00 Europe/Berlin; the fire time before is 2026-06-30 02:30:00
            LATE_START | 2026-06-19 02:30     | BEFORE_START    | starts at 2026-06-20 12:00:00 Europe/Berlin; the fire time after is 2026-06-21 02:30:00
            LATE_START | 2026-06-20 12:30     | NOT_A_FIRE_TIME | ; the fire time after is 2026-06-21 02:30:00
            COUNTED    | 2026-06-02 03:00     | NOT_A_FIRE_TIME | ; the fire time before is 2026-06-02 02:30:00 Europe/Berlin, after it 2026-06-03 02:30:00
            COUNTED    | 2026-06-05 02:30     | AFTER_END       | 3 times, Europe/Berlin) has no fire time after that; the fire time before is 2026-06-03 02:30:00
            COUNTED    | 2026-07-05 02:30     | AFTER_END       | 3 times, Europe/Berlin) has no fire time after that; the fire time before is 2026-06-03 02:30:00
            ONCE       | 2026-06-19 02:30     | NOT_A_FIRE_TIME | ; the fire time after is 2026-06-20 02:30:00
            ONCE       | 2026-06-20 02:30     | WILL_FIRE       | The task will fire at 2026-06-20 02:30:00
            ONCE       | 2026-06-21 02:30     | AFTER_END       | has no fire time after that; the fire time before is 2026-06-20 02:30:00
            EVERY_HOUR | 2026-06-20T10:00:00Z | WILL_FIRE       | The task will fire at 2026-06-20 12:00:00
            EVERY_HOUR | 2026-06-20T10:30:00Z | NOT_A_FIRE_TIME | ; the fire time before is 2026-06-20 12:00:00 Europe/Berlin, after it 2026-06-20 13:00:00
            AFTER_RUN  | 2026-06-15T13:00:00Z | WILL_FIRE       | The task will fire at 2026-06-15 15:00:00
            AFTER_RUN  | 2026-06-15T14:00:00Z | NOT_A_FIRE_TIME | count from the end of its runs, and none is known for this instant.
            AFTER_RUN  | 2026-06-15T11:00:00Z | NOT_A_FIRE_TIME | and none was at this instant; the fire time after is 2026-06-15 15:00:00
            THREE_RUNS | 2026-06-18 02:30     | WILL_FIRE       | The task will fire at 2026-06-18 02:30:00
            THREE_RUNS | 2026-06-19 02:30     | FINISHED        | may run 3 times and has run 0 times; its last run comes before
            EXPIRING   | 2026-06-20 02:30     | WILL_FIRE       | It expires at 2026-06-20 02:40:00 Europe/Berlin unless it starts before.
            """)
    void an_instant_is_explained_by_the_schedule_and_its_window(
            Prepared task, String at, SlotCause cause, String words) {
        prepared = task;
        expect(cause, at, words);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            DAILY       | 2027-03-28 02:30     | SHIFTED_BY_CLOCK_CHANGE | the clocks went forward to 2027-03-28 03:00:00 Europe/Berlin. The task will fire at 2027-03-28 03:00:00
            DAILY       | 2027-03-28 03:00     | WILL_FIRE               | The task will fire at 2027-03-28 03:00:00
            DAILY       | 2027-03-28 02:45     | NOT_A_FIRE_TIME         | 02:45:00 does not exist in Europe/Berlin: the clocks went forward
            GAP_SKIPPED | 2027-03-28 02:30     | SKIPPED_BY_CLOCK_CHANGE | does not fire for it; the fire time before is 2027-03-27 02:30:00 Europe/Berlin, after it 2027-03-29 02:30:00
            GAP_SKIPPED | 2027-03-28 02:10     | NOT_A_FIRE_TIME         | It is not a fire time of the schedule; the fire time before is 2027-03-27 02:30:00
            GAP_SKIPPED | 2027-03-28 03:00     | NOT_A_FIRE_TIME         | ; the fire time before is 2027-03-27 02:30:00 Europe/Berlin, after it 2027-03-29 02:30:00
            HOURLY      | 2027-03-28 02:00     | SKIPPED_BY_CLOCK_CHANGE | does not fire for it; the fire time before is 2027-03-28 01:00:00 Europe/Berlin, after it 2027-03-28 03:00:00
            AT_THREE    | 2027-03-28 02:30     | NOT_A_FIRE_TIME         | It is not a fire time of the schedule; the fire time before is 2027-03-27 03:00:00 Europe/Berlin, after it 2027-03-28 03:00:00
            AT_THREE    | 2027-03-28 03:00     | WILL_FIRE               | The task will fire at 2027-03-28 03:00:00
            DAILY       | 2026-10-25 02:30     | WILL_FIRE               | The task will fire at 2026-10-25 02:30:00
            DAILY       | 2026-10-25T00:30:00Z | WILL_FIRE               | The task will fire at 2026-10-25 02:30:00
            DAILY       | 2026-10-25T01:30:00Z | SKIPPED_BY_CLOCK_CHANGE | this local time occurred twice; the task fires at its first occurrence
            DAILY       | 2026-10-25T01:31:00Z | NOT_A_FIRE_TIME         | ; the fire time before is 2026-10-25 02:30:00 Europe/Berlin, after it 2026-10-26 02:30:00
            TWICE       | 2026-10-25T00:30:00Z | WILL_FIRE               | The task will fire at 2026-10-25 02:30:00
            TWICE       | 2026-10-25T01:30:00Z | WILL_FIRE               | The task will fire at 2026-10-25 02:30:00
            HOURLY      | 2026-10-25T01:00:00Z | WILL_FIRE               | The task will fire at 2026-10-25 02:00:00
            """)
    void a_clock_change_is_named_where_it_moves_or_drops_a_slot(
            Prepared task, String at, SlotCause cause, String words) {
        prepared = task;
        expect(cause, at, words);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            HOLIDAY          | 2026-06-20 02:30 | EXCLUDED_BY_CALENDAR | The calendar holidays excludes this instant; the fire time before is 2026-06-13 02:30:00 Europe/Berlin, after it 2026-06-27
            HOLIDAY          | 2026-06-20 02:31 | NOT_A_FIRE_TIME      | ; the fire time before is 2026-06-13 02:30:00
            HOLIDAY          | 2026-06-27 02:30 | WILL_FIRE            | The task will fire at 2026-06-27 02:30:00
            HOLIDAY_NEXT     | 2026-06-20 02:30 | EXCLUDED_BY_CALENDAR | The calendar holidays excludes this instant, and the fire time moves to 2026-06-21 02:30:00
            HOLIDAY_NEXT     | 2026-06-21 02:30 | WILL_FIRE            | The task will fire at 2026-06-21 02:30:00
            HOLIDAY_NEXT     | 2026-06-28 02:30 | NOT_A_FIRE_TIME      | ; the fire time before is 2026-06-27 02:30:00
            HOLIDAY_PREVIOUS | 2026-06-20 02:30 | EXCLUDED_BY_CALENDAR | The calendar holidays excludes this instant, and the fire time moves to 2026-06-19 02:30:00
            HOLIDAY_PREVIOUS | 2026-06-19 02:30 | WILL_FIRE            | The task will fire at 2026-06-19 02:30:00
            TWO_CALENDARS    | 2026-06-20 02:30 | EXCLUDED_BY_CALENDAR | The calendars holidays and stocktaking exclude this instant; the fire time before
            """)
    void a_calendar_is_named_with_where_the_slot_moves(Prepared task, String at, SlotCause cause, String words) {
        prepared = task;
        expect(cause, at, words);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', nullValues = "-", textBlock = """
            DAILY      | ann | 2026-06-16 02:30     | is paused by ann since 2026-06-14 18:00:00 Europe/Berlin until 2026-06-18
            DAILY      | -   | 2026-06-16 02:30     | is paused by token deploy since 2026-06-14 18:00:00 Europe/Berlin until 2026-06-18
            AFTER_RUN  | -   | 2026-06-16T00:30:00Z | is paused by token deploy since 2026-06-14 18:00:00 Europe/Berlin until 2026-06-18
            """)
    void a_pause_says_since_when_and_by_whom(Prepared task, String by, String at, String words) {
        prepared = task;
        state = TaskState.PAUSED;
        pausedBy = new TaskPause(by, OptionalLong.of(at("2026-06-18T00:00:00Z")));
        pauseBegin = new SlotFacts.PauseBegin(at("2026-06-14T16:00:00Z"), "token deploy");
        expect(SlotCause.TASK_PAUSED, at, words);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', nullValues = "-", textBlock = """
            DAILY      | ERROR    | unknown zone            | 0 | 2026-06-20 02:30     | TASK_ERROR  | in state ERROR and does not fire: unknown zone.
            DAILY      | ERROR    | unknown zone            | 0 | 2026-06-15 02:30     | TASK_ERROR  | in state ERROR and does not fire: unknown zone.
            AFTER_RUN  | ERROR    | unknown zone            | 0 | 2026-06-20T00:30:00Z | TASK_ERROR  | in state ERROR and does not fire: unknown zone.
            DAILY      | FINISHED | -                       | 0 | 2026-06-20 02:30     | FINISHED    | is finished and does not fire any more.
            DAILY      | FINISHED | its calendars let no further fire time through | 0 | 2026-06-20 02:30 | FINISHED | any more: its calendars let no further fire time through.
            THREE_RUNS | FINISHED | -                       | 3 | 2026-06-20 02:30     | FINISHED    | any more: it has run 3 times, as often as it may.
            THREE_RUNS | FINISHED | -                       | 3 | 2026-06-14 02:30     | FINISHED    | was finished before: it has run 3 times, as often as it may.
            AFTER_RUN  | FINISHED | -                       | 0 | 2026-06-20T00:30:00Z | FINISHED    | is finished and does not fire any more.
            DAILY      | PAUSED   | wrong figures           | 0 | 2026-06-16 02:30     | TASK_PAUSED | is paused by ann until 2026-06-18 02:00:00 Europe/Berlin: wrong figures. It will be SKIPPED unless
            DAILY      | PAUSED   | wrong figures           | 0 | 2026-06-20 02:30     | WILL_FIRE   | The task will fire at 2026-06-20 02:30:00
            DAILY      | PAUSED   | -                       | 0 | 2026-06-16 02:30     | TASK_PAUSED | is paused by ann until 2026-06-18 02:00:00 Europe/Berlin. It will be
            AFTER_RUN  | PAUSED   | wrong figures           | 0 | 2026-06-16T00:30:00Z | TASK_PAUSED | is paused by ann until 2026-06-18 02:00:00 Europe/Berlin: wrong figures.
            """)
    void a_task_that_does_not_fire_says_why(
            Prepared task, TaskState now, String why, long already, String at, SlotCause cause, String words) {
        prepared = task;
        state = now;
        reason = why;
        runs = already;
        if (now == TaskState.PAUSED) {
            pausedBy = new TaskPause("ann", OptionalLong.of(at("2026-06-18T00:00:00Z")));
        }
        expect(cause, at, words);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', nullValues = "-", textBlock = """
            -             | -                    | 2026-06-20 02:30 | FIRING_PAUSED   | All firing is paused since 2026-06-15 12:00:00 Europe/Berlin by bob: moving. It will be SKIPPED
            -             | 2026-06-18T00:00:00Z | 2026-06-16 02:30 | FIRING_PAUSED   | All firing is paused since 2026-06-15 12:00:00 Europe/Berlin until 2026-06-18 02:00:00
            -             | 2026-06-18T00:00:00Z | 2026-06-20 02:30 | WILL_FIRE       | The task will fire
            -             | -                    | 2026-06-15 02:30 | WAITS_FOR_CLAIM | due for 11h30m
            app:shop      | -                    | 2026-06-20 02:30 | FIRING_PAUSED   | Firing of app:shop is paused since
            app:shop      | -                    | 2026-06-15 02:30 | FIRING_PAUSED   | Firing of app:shop is paused since 2026-06-15 12:00:00 Europe/Berlin by bob: moving. The slot is recorded as SKIPPED.
            tag:slow      | -                    | 2026-06-20 02:30 | FIRING_PAUSED   | Firing of tag:slow is paused since
            tag:slow      | 2026-06-18T00:00:00Z | 2026-06-20 02:30 | WILL_FIRE       | The task will fire
            handler:close | -                    | 2026-06-20 02:30 | FIRING_PAUSED   | Firing of handler:close is paused since
            handler:close | 2026-06-18T00:00:00Z | 2026-06-15 02:30 | FIRING_PAUSED   | Firing of handler:close is paused since 2026-06-15 12:00:00 Europe/Berlin until 2026-06-18
            """)
    void a_pause_of_firing_is_named_with_its_key_its_author_and_its_end(
            String key, String until, String at, SlotCause cause, String words) {
        next = OptionalLong.of(at("2026-06-15T00:30:00Z"));
        pauses.add(new Pause(
                at("2026-06-15T10:00:00Z"), until == null ? Long.MAX_VALUE : at(until), "moving", "bob", false, key));
        expect(cause, at, words);
    }

    @Test
    void the_pause_that_lasts_until_the_fire_time_is_named() {
        pauses.add(new Pause(NOW, at("2026-06-18T00:00:00Z"), "moving", "bob", false, null));
        pauses.add(new Pause(NOW, Long.MAX_VALUE, "stocktaking", "ann", false, "app:shop"));
        expect(SlotCause.FIRING_PAUSED, "2026-06-16 02:30", "by bob: moving");
        expect(SlotCause.FIRING_PAUSED, "2026-06-20 02:30", "by ann: stocktaking");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', nullValues = "-", textBlock = """
            DAILY    | -                              | -                | 2026-06-15 02:30 | WAITS_FOR_CLAIM | due for 11h30m; the master has not claimed it yet.
            EXPIRING | -                              | -                | 2026-06-15 02:30 | WAITS_FOR_CLAIM | It expires at 2026-06-15 02:40:00
            DAILY    | -                              | app:shop         | 2026-06-15 02:30 | WAITS_FOR_LIMIT | due for 11h30m, and waits for room under the limit app:shop (2 of 2 run).
            DAILY    | -                              | app:shop printer | 2026-06-15 02:30 | WAITS_FOR_LIMIT | under the limit app:shop (2 of 2 run) and printer (2 of 2 run).
            DAILY    | automatic takeover is on hold  | -                | 2026-06-15 02:30 | NO_MASTER       | no node is master: automatic takeover is on hold.
            DAILY    | node a: the database is lost   | app:shop         | 2026-06-15 02:30 | NO_MASTER       | no node is master: node a: the database is lost.
            DAILY    | automatic takeover is on hold  | -                | 2026-06-20 02:30 | WILL_FIRE       | No node is master now: automatic takeover is on hold.
            """)
    void a_due_slot_is_explained_by_what_it_waits_for(
            Prepared task, String lacking, String limits, String at, SlotCause cause, String words) {
        prepared = task;
        next = OptionalLong.of(at("2026-06-15T00:30:00Z"));
        noMaster = lacking;
        fullLimits = limits == null
                ? List.of()
                : Stream.of(limits.split(" "))
                        .map(key -> new SlotFacts.FullLimit(key, "2 of 2 run"))
                        .toList();
        expect(cause, at, words);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            2026-01-24 02:30 | DELETED_BY_RETENTION | Retention has deleted SUCCEEDED rows before 2026-02-01 01:00:00
            2026-03-24 02:30 | BEFORE_EDIT          | The timing of the task was set later, at 2026-04-01 02:00:00
            2026-03-24 14:00 | NOT_A_FIRE_TIME      | The timing of the task was set later, at 2026-04-01 02:00:00 Europe/Berlin.
            2026-05-24 02:30 | UNACCOUNTED          | Run twinbell verify.
            2026-06-18 02:30 | MOVED_BY_HAND        | The next fire time of the task is 2026-06-25 02:00:00 Europe/Berlin, so this earlier fire time is passed over.
            2026-06-25 02:00 | WILL_FIRE            | The task will fire at 2026-06-25 02:00:00
            2026-06-26 02:30 | WILL_FIRE            | The task will fire at 2026-06-26 02:30:00
            """)
    void a_replaced_definition_retention_and_a_move_are_named(String at, SlotCause cause, String words) {
        deleted = Map.of("SUCCEEDED", at("2026-02-01T00:00:00Z"));
        planned = new Planned(1, at("2026-04-01T00:00:00Z"), OptionalLong.of(at("2026-04-02T00:30:00Z")));
        next = OptionalLong.of(at("2026-06-25T00:00:00Z"));
        expect(cause, at, words);
    }

    @Test
    void a_due_slot_of_an_app_at_its_quota_waits_for_the_quota() {
        next = OptionalLong.of(at("2026-06-15T00:30:00Z"));
        isAtQuota = true;
        expect(
                SlotCause.WAITS_FOR_LIMIT,
                "2026-06-15 02:30",
                "due for 11h30m, and waits because its app has used its quotas.firesPerMinute.");
        expect(SlotCause.WILL_FIRE, "2026-06-20 02:30", "The task will fire at");
    }

    @Test
    void a_due_slot_is_not_called_deleted() {
        deleted = Map.of("SUCCEEDED", at("2026-06-10T00:00:00Z"));
        next = OptionalLong.of(at("2026-06-09T00:30:00Z"));
        expect(SlotCause.WAITS_FOR_CLAIM, "2026-06-09 02:30", "has not claimed it yet");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            DAILY    | 2026-03-29 02:30 | SHIFTED_BY_CLOCK_CHANGE | does not exist in Europe/Berlin: the clocks went forward to 2026-03-29 03:00:00 Europe/Berlin. Attempt 1 ran
            DAILY    | 2026-03-29 02:45 | NOT_A_FIRE_TIME         | It is not a fire time of the schedule
            DAILY    | 2026-03-29 03:00 | RAN                     | Attempt 1 ran on node a at 2026-03-29 03:00:00.004
            AT_THREE | 2026-03-29 02:30 | NOT_A_FIRE_TIME         | It is not a fire time of the schedule
            AT_THREE | 2026-03-29 03:00 | RAN                     | Attempt 1 ran on node a at 2026-03-29 03:00:00.004
            HOURLY   | 2026-03-29 02:00 | SKIPPED_BY_CLOCK_CHANGE | does not fire for it
            """)
    void a_row_after_a_gap_explains_only_the_slot_that_moved_to_it(
            Prepared task, String at, SlotCause cause, String words) {
        prepared = task;
        long fire = at("2026-03-29T01:00:00Z");
        row = new Execution(
                new Execution.Slots(1, fire, OptionalLong.empty(), 1),
                "shop",
                "close-day",
                ExecutionState.SUCCEEDED,
                null,
                new Execution.LatestClaim(1, 0, 0, "a", OptionalLong.of(7), null, null),
                new Execution.Times(
                        OptionalLong.of(fire),
                        OptionalLong.of(fire + 4),
                        OptionalLong.of(fire + 1204),
                        OptionalLong.empty()),
                new Execution.Outcome(null, null, null, null, null),
                null);
        expect(cause, at, words);
    }
}
