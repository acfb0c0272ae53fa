package io.twinbell.node.schedule.zone;

import io.twinbell.node.engine.task.ScheduleException;
import io.twinbell.node.json.NearestName;
import io.twinbell.node.schedule.text.SafeQuote;
import java.time.DateTimeException;
import java.time.ZoneId;
import java.util.Comparator;
import java.util.Locale;
import java.util.Optional;

/** Resolves time zone names, and suggests the nearest zone for an unknown name. */
public final class ZoneNames {
    private static final int MAX_LENGTH = 64;

    private ZoneNames() {}

    /**
     * Resolves a region such as {@code Europe/Berlin}, or a fixed offset such as {@code UTC} or {@code +02:00}.
     *
     * @throws ScheduleException if the name is neither
     */
    public static ZoneId find(String pointer, String name) {
        if (name.length() <= MAX_LENGTH) {
            try {
                return ZoneId.of(name);
            } catch (DateTimeException e) {
                // Reported below, together with names that are too long.
            }
        }
        String hint = meant(name)
                .map(zone -> "did you mean \"" + zone + "\"?")
                .orElse("write a region such as Europe/Berlin, or an offset such as +02:00");
        throw new ScheduleException(pointer, SafeQuote.of(name) + " is not a time zone; " + hint);
    }

    /**
     * Suggests the zone of an old abbreviation such as PST, as the JDK maps it, or the zone that is a few typing
     * errors away.
     */
    private static Optional<String> meant(String name) {
        String abbreviation = ZoneId.SHORT_IDS.get(name.toUpperCase(Locale.ROOT));
        if (abbreviation != null) {
            return Optional.of(abbreviation);
        }
        String typed = name.replace(' ', '_');
        return name.length() > MAX_LENGTH
                ? Optional.empty()
                : ZoneId.getAvailableZoneIds().stream()
                        .filter(zone -> editDistance(typed, zone) <= city(zone).length() / 4)
                        .min(Comparator.<String>comparingInt(zone -> distance(typed, zone))
                                .thenComparing(Comparator.naturalOrder()));
    }

    /**
     * Compares the city first: Berlin means Europe/Berlin, and Asia/Kyiv more likely has the wrong region than a
     * misspelled city.
     */
    private static int distance(String name, String zone) {
        int slips = editDistance(name, zone);
        return 2 * slips + (NearestName.edits(name, zone) > slips ? 1 : 0);
    }

    private static int editDistance(String name, String zone) {
        return NearestName.edits(city(name), city(zone));
    }

    private static String city(String zone) {
        return zone.substring(zone.lastIndexOf('/') + 1);
    }
}
