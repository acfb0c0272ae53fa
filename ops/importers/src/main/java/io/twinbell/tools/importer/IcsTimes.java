package io.twinbell.tools.importer;

import io.twinbell.tools.importer.IcsFile.IcsComponent;
import io.twinbell.tools.importer.IcsFile.IcsProperty;
import java.time.DateTimeException;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Reads the dates and times of an iCalendar file, each with its zone. */
final class IcsTimes {
    private static final DateTimeFormatter DATE = DateTimeFormatter.ofPattern("uuuuMMdd", Locale.ROOT);
    private static final DateTimeFormatter TIME = DateTimeFormatter.ofPattern("uuuuMMdd'T'HHmmss", Locale.ROOT);

    private static final Pattern PATH = Pattern.compile("/.*?([A-Z][A-Za-z]+/[A-Za-z_/+-]+)");
    /** Longer than the name of every zone with its path. */
    private static final int MAX_ZONE = 200;
    /** As many as a schedule may have in a list. */
    static final int MAX_TIMES = 1_000;

    private final ZoneId floating;
    private final Map<String, String> named;
    private final Map<String, String> locations = new HashMap<>();

    /**
     * A date, or a date and time, on the wall clock of a zone.
     *
     * @param time midnight for a date
     */
    record IcsTime(LocalDateTime time, ZoneId zone, boolean isDate) {
        /** The same instant on the wall clock of another zone. A date stays the same. */
        IcsTime in(ZoneId other) {
            return isDate || zone.equals(other)
                    ? new IcsTime(time, other, isDate)
                    : new IcsTime(time.atZone(zone).withZoneSameInstant(other).toLocalDateTime(), other, false);
        }

        /** As a schedule writes it. */
        String text() {
            return isDate ? time.toLocalDate().toString() : time.toString();
        }
    }

    /**
     * @param floating the zone of times that name none
     * @param named zones by the names that the file has for them
     * @param calendar its VTIMEZONE components may name a known zone
     */
    IcsTimes(ZoneId floating, Map<String, String> named, IcsComponent calendar) {
        this.floating = floating;
        this.named = named;
        for (IcsComponent zone : calendar.children()) {
            if (zone.name().equals("VTIMEZONE") && !zone.text("X-LIC-LOCATION").isEmpty()) {
                locations.put(zone.text("TZID"), zone.text("X-LIC-LOCATION"));
            }
        }
    }

    /** @throws IllegalArgumentException if the property has not exactly one time that is understood */
    IcsTime one(IcsProperty property) {
        List<IcsTime> times = all(property);
        if (times.size() != 1) {
            throw new IllegalArgumentException(property.name() + " must have one value");
        }
        return times.get(0);
    }

    /** @throws IllegalArgumentException if a time is not understood */
    List<IcsTime> all(IcsProperty property) {
        if (property.parameters().getOrDefault("VALUE", "").equalsIgnoreCase("PERIOD")) {
            throw new IllegalArgumentException(property.name() + " has periods, and a fire time has no length");
        }
        ZoneId zone = property.zone() == null ? floating : zone(property.zone());
        List<IcsTime> times = new ArrayList<>();
        String[] texts = property.value().strip().split(",", MAX_TIMES + 1);
        if (texts.length > MAX_TIMES) {
            throw new IllegalArgumentException(property.name() + " has more than " + MAX_TIMES + " times");
        }
        for (String text : texts) {
            times.add(time(property.name(), text.strip(), zone));
        }
        return times;
    }

    private static IcsTime time(String name, String text, ZoneId zone) {
        try {
            if (text.length() == "20260105".length()) {
                return new IcsTime(LocalDate.parse(text, DATE).atStartOfDay(), zone, true);
            }
            boolean isUtc = text.endsWith("Z");
            LocalDateTime time = LocalDateTime.parse(isUtc ? text.substring(0, text.length() - 1) : text, TIME);
            return new IcsTime(time, isUtc ? ZoneOffset.UTC : zone, false);
        } catch (DateTimeException e) {
            throw new IllegalArgumentException(name + " has \"" + text + "\", which is not a date or a time");
        }
    }

    /** The zone that the file names: some programs write a path before it, or names of their own. */
    private ZoneId zone(String name) {
        String known = named.getOrDefault(name, locations.getOrDefault(name, name));
        if (known.length() > MAX_ZONE) {
            throw new IllegalArgumentException("its time zone has more than " + MAX_ZONE + " characters");
        }
        try {
            Matcher path = PATH.matcher(known);
            return ZoneId.of(path.matches() ? path.group(1) : known);
        } catch (DateTimeException e) {
            throw new IllegalArgumentException(
                    "its time zone " + name + " is unknown: give --map-zone \"" + name + "=Area/City\"");
        }
    }
}
