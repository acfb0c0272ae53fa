package io.twinbell.node.calendar.ical;

import io.twinbell.node.engine.task.ScheduleException;
import io.twinbell.node.json.InvalidJsonException;
import io.twinbell.node.schedule.text.SafeQuote;
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
        ZoneId zone = iana(id);
        if (zone != null) {
            return zone.getRules();
        }
        List<CalendarComponent> found = definitions.getOrDefault(id, List.of());
        if (found.isEmpty()) {
            try {
                // It is stricter than iana, so it refuses the name, with similar names.
                return ZoneNames.find("", id).getRules();
            } catch (ScheduleException e) {
                throw property.refusal(e.getMessage() + "; the file has no VTIMEZONE of that TZID either");
            }
        }
        if (found.size() > 1) {
            throw found.get(1).refusal("the file has two VTIMEZONE components with the TZID " + SafeQuote.of(id));
        }
        found.get(0).one("TZID");
        ContentLine location = found.get(0).one("X-LIC-LOCATION");
        zone = location == null ? null : iana(location.value().strip());
        return zone == null ? new TimeZoneDefinition(found.get(0), this, budget).rules() : zone.getRules();
    }

    /**
     * Returns the zone of the IANA database, or null. A name such as {@code /mozilla.org/20070129_1/Europe/Berlin} ends
     * with the name in the database.
     */
    private static ZoneId iana(String id) {
        if (id.length() > LONGEST_NAME) {
            return null;
        }
        ZoneId zone = zone(id);
        int slash = id.startsWith("/") ? 0 : -1;
        while (zone == null && slash >= 0) {
            String rest = id.substring(slash + 1);
            zone = slash > 0 && rest.indexOf('/') < 0 ? null : zone(rest);
            slash = id.indexOf('/', slash + 1);
        }
        return zone;
    }

    private static ZoneId zone(String id) {
        try {
            return ZoneId.of(id);
        } catch (DateTimeException e) {
            return null;
        }
    }
}
