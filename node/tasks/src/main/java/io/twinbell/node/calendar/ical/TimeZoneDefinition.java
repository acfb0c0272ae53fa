package io.twinbell.node.calendar.ical;

import io.twinbell.node.json.InvalidJsonException;
import io.twinbell.node.schedule.text.Digits;
import io.twinbell.node.schedule.text.SafeQuote;
import java.time.DateTimeException;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.zone.ZoneOffsetTransition;
import java.time.zone.ZoneRules;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** Expands a VTIMEZONE (RFC 5545, 3.6.5) into zone rules up to 2200. */
final class TimeZoneDefinition {
    /** Changes before this day are ignored: many definitions start in 1601 with all their offsets at once. */
    private static final long FIRST = LocalDate.of(1900, 1, 1).toEpochDay() * 24 * 3600;

    private static final long LAST = LocalDate.of(2201, 1, 1).toEpochDay() * 24 * 3600;
    private static final long DAY = 24L * 3600;
    private static final int MAX_ONSETS = 10_000;

    private final CalendarComponent definition;
    private final TimeZones zones;
    private final ExpansionBudget budget;
    private final List<OffsetChange> onsets = new ArrayList<>();

    /** A change of the offset at an instant. */
    private record OffsetChange(long instant, ZoneOffset from, ZoneOffset to) {}

    TimeZoneDefinition(CalendarComponent definition, TimeZones zones, ExpansionBudget budget) {
        this.definition = definition;
        this.zones = zones;
        this.budget = budget;
    }

    /** @throws InvalidJsonException if the VTIMEZONE does not define a zone */
    ZoneRules rules() {
        for (CalendarComponent child : definition.children()) {
            if (child.name().equals("STANDARD") || child.name().equals("DAYLIGHT")) {
                observe(child);
            }
        }
        if (onsets.isEmpty()) {
            throw definition.refusal("the VTIMEZONE has neither STANDARD nor DAYLIGHT");
        }
        onsets.sort(Comparator.comparingLong(OffsetChange::instant));
        ZoneOffset first = null;
        ZoneOffset current = onsets.get(0).from();
        long before = FIRST;
        List<ZoneOffsetTransition> transitions = new ArrayList<>();
        for (OffsetChange offsetChange : onsets) {
            if (offsetChange.instant() < FIRST) {
                current = offsetChange.to();
                continue;
            }
            first = first == null ? current : first;
            if (offsetChange.to().equals(current)) {
                continue;
            }
            if (offsetChange.instant() - before < DAY && !transitions.isEmpty()) {
                throw definition.refusal("the VTIMEZONE changes its offset twice within a day");
            }
            before = offsetChange.instant();
            transitions.add(ZoneOffsetTransition.of(
                    LocalDateTime.ofEpochSecond(offsetChange.instant(), 0, current), current, offsetChange.to()));
            current = offsetChange.to();
        }
        ZoneOffset initial = first == null ? current : first;
        return ZoneRules.of(initial, initial, List.of(), transitions, List.of());
    }

    private void observe(CalendarComponent observance) {
        ContentLine startLine = required(observance, "DTSTART");
        DateTimeValue start = DateTimeValue.of(startLine, zones);
        if (start.isDate() || start.zone() != null) {
            throw startLine.refusal("must be a time without a zone");
        }
        ZoneOffset from = offset(required(observance, "TZOFFSETFROM"));
        ZoneOffset to = offset(required(observance, "TZOFFSETTO"));
        add(start.wall(), startLine, from, to);
        for (ContentLine line : observance.all("RRULE")) {
            Recurrence.expand(line, start, from.getRules(), LAST, budget, wall -> {
                add(wall, line, from, to);
                return true;
            });
        }
        for (ContentLine line : observance.all("RDATE")) {
            for (String text : line.value().split(",", -1)) {
                add(DateTimeValue.of(text.strip(), line, zones).wallIn(from.getRules()), line, from, to);
            }
        }
    }

    private void add(long wall, ContentLine line, ZoneOffset from, ZoneOffset to) {
        budget.steps(1, line);
        if (onsets.size() == MAX_ONSETS) {
            throw line.refusal("the VTIMEZONE has more than " + MAX_ONSETS + " changes of its offset up to 2200");
        }
        onsets.add(new OffsetChange(wall - from.getTotalSeconds(), from, to));
    }

    private static ContentLine required(CalendarComponent observance, String name) {
        ContentLine line = observance.one(name);
        if (line == null) {
            throw observance.refusal(observance.name() + " has no " + name);
        }
        return line;
    }

    private static ZoneOffset offset(ContentLine line) {
        String text = line.value().strip();
        boolean isSigned = text.startsWith("+") || text.startsWith("-");
        boolean isWhole = text.length() == 5 || text.length() == 7;
        if (!isSigned || !isWhole || !Digits.are(text, 1, text.length() - 1)) {
            throw line.refusal(SafeQuote.of(text) + " is not an offset such as +0100");
        }
        int sign = text.startsWith("-") ? -1 : 1;
        try {
            return ZoneOffset.ofHoursMinutesSeconds(
                    sign * Digits.number(text, 1, 2),
                    sign * Digits.number(text, 3, 2),
                    text.length() == 7 ? sign * Digits.number(text, 5, 2) : 0);
        } catch (DateTimeException e) {
            throw line.refusal(SafeQuote.of(text) + " is not an offset: " + e.getMessage());
        }
    }
}
