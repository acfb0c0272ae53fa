package io.twinbell.node.calendar.ical;

import io.twinbell.node.engine.task.ScheduleException;
import io.twinbell.node.json.InvalidJsonException;
import io.twinbell.node.schedule.zone.ZoneNames;
import java.time.DateTimeException;
import java.time.ZoneId;
import java.time.zone.ZoneRules;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * The time zones of an iCalendar file. A zone of the IANA database uses the rules of this runtime. Any other zone uses
 * its VTIMEZONE, which is expanded when a property first needs it.
 */
public final class TimeZones {
    /** Longer names are not in the IANA database, with or without a prefix. */
    private static final int LONGEST_NAME = 200;

    private final Map<String, List<CalendarComponent>> definitions;
    private final ExpansionBudget budget;
    private final Map<String, ZoneRules> known = new HashMap<>();

    public TimeZones(CalendarComponent calendar, ExpansionBudget budget) {
        definitions = calendar.children().stream()
                .filter(child ->
                        child.name().equals("VTIMEZONE") && !child.all("TZID").isEmpty())
                // A duplicate definition is refused when the zone is needed.
                .collect(Collectors.groupingBy(
                        zone -> zone.all("TZID").get(0).value().strip()));
        this.budget = budget;
    }

    /**
     * Returns the zone of a property's TZID.
     *
     * @throws InvalidJsonException if the zone is unknown, or if its VTIMEZONE is invalid
     */
    ZoneRules named(ContentLine property) {
        String id = property.parameter("TZID");
        ZoneRules rules = known.get(id);
        if (rules == null) {
            rules = find(id.strip(), property);
            known.put(id, rules);
        }
        return rules;
    }

    private ZoneRules find(String id, ContentLine property) {
        ZoneRules rules = iana(id);
        if (rules == null && id.startsWith("/") && id.length() <= LONGEST_NAME) {
            rules = suffix(id);
        }
        if (rules != null) {
            return rules;
        }
        List<CalendarComponent> found = definitions.getOrDefault(id, List.of());
        if (found.isEmpty()) {
            throw property.refusal(hint(id) + "; the file has no VTIMEZONE of that TZID either");
        }
        if (found.size() > 1) {
            throw found.get(1).refusal("the file has two VTIMEZONE components with the TZID " + QuotedText.quoted(id));
        }
        found.get(0).one("TZID");
        String location = value(found.get(0), "X-LIC-LOCATION");
        rules = location == null ? null : iana(location);
        return rules == null ? new TimeZoneDefinition(found.get(0), this, budget).rules() : rules;
    }

    private static String hint(String id) {
        try {
            ZoneNames.find("", id);
            return QuotedText.quoted(id) + " is not a time zone";
        } catch (ScheduleException e) {
            return e.getMessage();
        }
    }

    private static String value(CalendarComponent zone, String name) {
        ContentLine property = zone.one(name);
        return property == null ? null : property.value().strip();
    }

    /** Names such as {@code /mozilla.org/20070129_1/Europe/Berlin} end with the name in the IANA database. */
    private static ZoneRules suffix(String id) {
        ZoneRules rules = null;
        int slash = 0;
        while (slash >= 0 && rules == null) {
            String rest = id.substring(slash + 1);
            rules = rest.indexOf('/') < 0 && slash > 0 ? null : iana(rest);
            slash = id.indexOf('/', slash + 1);
        }
        return rules;
    }

    private static ZoneRules iana(String id) {
        if (id.length() > LONGEST_NAME) {
            return null;
        }
        try {
            return ZoneId.of(id).getRules();
        } catch (DateTimeException e) {
            return null;
        }
    }
}
