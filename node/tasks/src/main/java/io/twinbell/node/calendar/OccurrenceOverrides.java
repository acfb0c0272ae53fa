package io.twinbell.node.calendar;

import io.twinbell.node.calendar.ical.CalendarComponent;
import io.twinbell.node.calendar.ical.ContentLine;
import io.twinbell.node.calendar.ical.DateTimeValue;
import io.twinbell.node.calendar.ical.ExpansionBudget;
import io.twinbell.node.calendar.ical.TimeZones;
import io.twinbell.node.calendar.ical.WallClock;
import io.twinbell.node.json.InvalidJsonException;
import java.util.ArrayList;
import java.util.List;

/**
 * The events of one UID that replace occurrences of another event, each identified by its RECURRENCE-ID (RFC 5545,
 * 3.8.4.4).
 */
final class OccurrenceOverrides {
    static final String ID = "RECURRENCE-ID";

    private static final int MAX_FOLLOWING = 100;
    /**
     * The steps that one override costs for each event that it may apply to, because its RECURRENCE-ID is parsed again.
     */
    private static final int STEPS = 4;

    private static final long DAY = 24L * 3600;

    private final TimeZones zones;
    private final ExpansionBudget budget;
    private final List<Override> overrides = new ArrayList<>();
    private HolidayEvent resolvedFor;
    private Occurrences replaced;
    private List<LaterOccurrences> following;

    /** @param event null if the occurrence is cancelled */
    private record Override(ContentLine id, HolidayEvent event) {
        boolean isForFollowing() {
            return id.parameter("RANGE") != null;
        }
    }

    /**
     * Replaces the occurrences from this place on.
     *
     * @param event null if they are cancelled
     * @param shift how much later they begin, on the wall clock of the event
     */
    record LaterOccurrences(
            Occurrences.OccurrenceStart occurrenceStart, ContentLine id, HolidayEvent event, long shift) {
        void add(long wall, long instant, HolidayTimes times) {
            if (event != null) {
                event.add((event.isAllDay() ? wall : WallClock.fromInstant(instant, event.zone())) + shift, times);
            }
        }
    }

    OccurrenceOverrides(TimeZones zones, ExpansionBudget budget) {
        this.zones = zones;
        this.budget = budget;
    }

    /**
     * Adds an override.
     *
     * @param event null if the occurrence is cancelled
     */
    void add(CalendarComponent component, HolidayEvent event) {
        ContentLine id = component.one(ID);
        String range = id.parameter("RANGE");
        if (range != null && !range.equalsIgnoreCase("THISANDFUTURE")) {
            throw id.refusal("RANGE must be THISANDFUTURE");
        }
        if (event != null) {
            event.refuseRepeating();
        }
        overrides.add(new Override(id, event));
    }

    /**
     * @throws InvalidJsonException if an override is for following occurrences: without the recurring event the file
     *     does not say when they are
     */
    void refuseFollowing() {
        for (Override override : overrides) {
            if (override.isForFollowing()) {
                throw override.id().refusal("RANGE=THISANDFUTURE requires the recurring event in the same file");
            }
        }
    }

    boolean hasFollowing() {
        return overrides.stream().anyMatch(Override::isForFollowing);
    }

    /** Adds the time of each override once. */
    void addTo(HolidayTimes times) {
        for (Override override : overrides) {
            if (override.event() != null) {
                override.event().addAlone(times);
            }
        }
    }

    /** Whether an override replaces exactly this occurrence. */
    boolean replace(HolidayEvent main, long wall, long instant) {
        resolve(main);
        return replaced.has(wall, instant);
    }

    /** Returns the last THISANDFUTURE override that applies to this occurrence, or null. */
    LaterOccurrences following(HolidayEvent main, long wall, long instant) {
        resolve(main);
        LaterOccurrences last = null;
        for (LaterOccurrences one : following) {
            boolean isLater = last == null
                    || one.occurrenceStart().begin() >= last.occurrenceStart().begin();
            if (isLater && Occurrences.isFrom(one.occurrenceStart(), wall, instant)) {
                last = one;
            }
        }
        return last;
    }

    private void resolve(HolidayEvent main) {
        if (resolvedFor == main) {
            return;
        }
        replaced = new Occurrences();
        following = new ArrayList<>();
        for (Override override : overrides) {
            budget.steps(STEPS, override.id());
            DateTimeValue value = DateTimeValue.of(override.id(), zones);
            Occurrences.OccurrenceStart occurrenceStart = main.occurrence(value, override.id());
            replaced.add(occurrenceStart);
            if (override.isForFollowing()) {
                following.add(following(main, occurrenceStart, override, value.isDate()));
            }
        }
        if (following.size() > MAX_FOLLOWING) {
            throw following
                    .get(MAX_FOLLOWING)
                    .id()
                    .refusal("an event may have at most " + MAX_FOLLOWING + " changes with a RANGE");
        }
        resolvedFor = main;
    }

    private static LaterOccurrences following(
            HolidayEvent main, Occurrences.OccurrenceStart occurrenceStart, Override override, boolean isDate) {
        if (isDate != main.isAllDay()) {
            throw override.id().refusal("with a RANGE, it must be a date or a time like the DTSTART of the event");
        }
        HolidayEvent event = override.event();
        if (event == null) {
            return new LaterOccurrences(occurrenceStart, override.id(), null, 0);
        }
        if (event.isAllDay() != main.isAllDay()) {
            throw override.id().refusal("RANGE=THISANDFUTURE can't change whole days to times, or times to whole days");
        }
        long begin = main.isAllDay()
                ? occurrenceStart.begin() * DAY
                : WallClock.fromInstant(occurrenceStart.begin(), event.zone());
        return new LaterOccurrences(occurrenceStart, override.id(), event, event.startWall() - begin);
    }
}
