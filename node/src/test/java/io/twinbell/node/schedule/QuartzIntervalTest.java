package io.twinbell.node.schedule;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.twinbell.node.engine.task.Schedule;
import io.twinbell.persistence.testing.RandomCases;
import io.twinbell.tools.importer.ImportCandidate;
import io.twinbell.tools.importer.SourceRow;
import io.twinbell.tools.importer.quartz.QuartzContent;
import io.twinbell.tools.importer.quartz.QuartzContent.Job;
import io.twinbell.tools.importer.quartz.QuartzContent.JobAttributes;
import io.twinbell.tools.importer.quartz.QuartzContent.Key;
import io.twinbell.tools.importer.quartz.QuartzContent.QuartzTrigger;
import io.twinbell.tools.importer.quartz.QuartzContent.TriggerState;
import io.twinbell.tools.importer.quartz.QuartzTasks;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.Date;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TimeZone;
import org.junit.jupiter.api.Test;
import org.quartz.CalendarIntervalScheduleBuilder;
import org.quartz.DateBuilder.IntervalUnit;
import org.quartz.Trigger;
import org.quartz.TriggerBuilder;

/** Imported calendar intervals of Quartz fire when Quartz fires them. */
class QuartzIntervalTest {
    private static final int TRIGGERS = RandomCases.count(400, 8_000);
    private static final int FIRES = 40;
    private static final Key JOB = new Key("g", "job");
    private static final List<String> ZONES = List.of("Europe/Berlin", "America/New_York", "Asia/Kolkata", "UTC");

    private record CalendarTrigger(
            IntervalUnit unit, int count, LocalDateTime start, ZoneId zone, boolean keeps, boolean skips) {
        Trigger trigger() {
            return TriggerBuilder.newTrigger()
                    .withIdentity("t")
                    .startAt(Date.from(start.atZone(zone).toInstant()))
                    .withSchedule(CalendarIntervalScheduleBuilder.calendarIntervalSchedule()
                            .withInterval(count, unit)
                            .inTimeZone(TimeZone.getTimeZone(zone))
                            .preserveHourOfDayAcrossDaylightSavings(keeps)
                            .skipDayIfHourDoesNotExist(skips))
                    .build();
        }

        /** As Quartz stores it when its next fire time is this one. */
        ImportCandidate imported(long next) {
            Map<String, Integer> columns =
                    Map.of("STR_PROP_1", 0, "INT_PROP_1", 1, "STR_PROP_2", 2, "BOOL_PROP_1", 3, "BOOL_PROP_2", 4);
            SourceRow kind = new SourceRow(columns, new Object[] {unit.name(), count, zone.getId(), keeps, skips});
            long from = start.atZone(zone).toInstant().toEpochMilli();
            QuartzTrigger trigger = new QuartzTrigger(
                    new Key("g", "t"),
                    JOB,
                    "CAL_INT",
                    new TriggerState("WAITING", null, 5, 0, next, from, 0),
                    kind,
                    null);
            Job job = new Job(JOB, null, "a.Job", new JobAttributes(false, false, false, false), null);
            QuartzContent content = new QuartzContent(List.of(job), List.of(trigger), Map.of(), List.of());
            QuartzTasks.Options options =
                    new QuartzTasks.Options("app", ZoneId.of("Asia/Tokyo"), null, Map.of(), Duration.ofMinutes(1));
            return QuartzTasks.of(content, options).candidates().get(0);
        }

        List<LocalDateTime> onWallClock(List<Long> fires) {
            return fires.stream()
                    .map(fire -> LocalDateTime.ofInstant(Instant.ofEpochMilli(fire), zone))
                    .toList();
        }

        List<Long> quartzFires(int number) {
            Trigger trigger = trigger();
            List<Long> fires = new ArrayList<>();
            Date fire = trigger.getFireTimeAfter(new Date(trigger.getStartTime().getTime() - 1));
            while (fires.size() < number) {
                fires.add(fire.getTime());
                fire = trigger.getFireTimeAfter(fire);
            }
            return fires;
        }
    }

    private static List<Long> ours(ImportCandidate imported, long from, int number) {
        Schedule schedule =
                Schedules.parse(imported.task().path("schedule"), new Window(from, Schedule.NEVER), "app/t");
        List<Long> fires = new ArrayList<>();
        for (long fire = schedule.next(from - 1); fires.size() < number; fire = schedule.next(fire)) {
            fires.add(fire);
        }
        return fires;
    }

    @Test
    void random_intervals_fire_at_the_same_times_wherever_their_import_begins() {
        long seed = RandomCases.seed(QuartzIntervalTest.class);
        Random random = new Random(seed);
        IntervalUnit[] units = {IntervalUnit.DAY, IntervalUnit.WEEK, IntervalUnit.MONTH, IntervalUnit.YEAR};
        for (int i = 0; i < TRIGGERS; i++) {
            boolean skipsGap = random.nextBoolean();
            // A trigger that skips the gap may be in it; others differ there, and say so.
            int hour = skipsGap ? random.nextInt(24) : 4 + random.nextInt(20);
            CalendarTrigger interval = new CalendarTrigger(
                    units[random.nextInt(4)],
                    1 + random.nextInt(5),
                    LocalDateTime.of(2027, 1 + random.nextInt(12), 1 + random.nextInt(28), hour, random.nextInt(60), 7),
                    ZoneId.of(ZONES.get(random.nextInt(ZONES.size()))),
                    skipsGap || random.nextBoolean(),
                    skipsGap);
            // Quartz repeats one instant for ever from the year 2127 on.
            int fires = interval.unit() == IntervalUnit.YEAR ? FIRES / 3 : FIRES;
            List<Long> theirs = interval.quartzFires(fires);
            int done = random.nextInt(5);
            long next = theirs.get(done);
            ImportCandidate imported = interval.imported(next);
            String context = "seed " + seed + ": " + interval + " after " + done + " fires: " + imported;
            assertTrue(imported.isTaken(), context);
            // Of a time that the clock repeats, Quartz takes one or the other: on the wall clock they are equal.
            assertEquals(
                    interval.onWallClock(theirs.subList(done, fires)),
                    interval.onWallClock(ours(imported, next, fires - done)),
                    context);
        }
    }

    @Test
    void a_time_in_a_gap_is_noted_unless_the_day_is_skipped() {
        CalendarTrigger shifted = new CalendarTrigger(
                IntervalUnit.DAY, 2, LocalDateTime.parse("2027-03-26T02:30"), ZoneId.of("Europe/Berlin"), true, false);
        List<Long> theirs = shifted.quartzFires(3);
        // The second fire time is the moved one: the import takes the time of day from the trigger's start.
        ImportCandidate imported = shifted.imported(theirs.get(1));
        assertEquals("2027-03-28T02:30", imported.task().at("/schedule/dtstart").asText());
        assertTrue(
                imported.notes().toString().contains("Quartz fires later by the length of the gap"),
                imported::toString);
        assertEquals(theirs.get(2), ours(imported, theirs.get(1), 1).get(0));
        CalendarTrigger drifting = new CalendarTrigger(
                IntervalUnit.DAY, 1, LocalDateTime.parse("2027-03-26T02:30"), ZoneId.of("Europe/Berlin"), false, false);
        assertTrue(drifting.imported(drifting.quartzFires(1).get(0))
                .notes()
                .toString()
                .contains("before it, and keeps"));
        assertEquals(
                "2027-03-28T01:30",
                drifting.imported(drifting.quartzFires(3).get(2))
                        .task()
                        .at("/schedule/dtstart")
                        .asText());
    }

    @Test
    void a_day_that_some_month_lacks_is_not_imported() {
        CalendarTrigger interval = new CalendarTrigger(
                IntervalUnit.MONTH, 1, LocalDateTime.parse("2027-01-31T09:00"), ZoneId.of("UTC"), false, false);
        List<Long> theirs = interval.quartzFires(4);
        assertTrue(interval.imported(theirs.get(0)).obstacle().startsWith("fires every 1 MONTH on day 31"));
        assertEquals(theirs.subList(1, 4), ours(interval.imported(theirs.get(1)), theirs.get(1), 3));
    }
}
