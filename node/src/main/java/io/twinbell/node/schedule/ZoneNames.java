package io.twinbell.node.schedule;

import java.time.DateTimeException;
import java.time.ZoneId;
import java.util.Comparator;

/** Finds the zone that a name means, or at least the one that was probably meant. */
public final class ZoneNames {
    private static final int MAX_LENGTH = 64;

    private ZoneNames() {}

    /**
     * A region such as {@code Europe/Berlin}, or a fixed offset such as {@code UTC} or {@code +02:00}.
     *
     * @throws ScheduleException if it is neither
     */
    public static ZoneId find(String pointer, String name) {
        if (name.length() > MAX_LENGTH) {
            throw new ScheduleException(pointer, Quoted.of(name) + " is not a time zone");
        }
        try {
            return ZoneId.of(name);
        } catch (DateTimeException e) {
            throw new ScheduleException(
                    pointer,
                    Quoted.of(name) + " is not a time zone; the nearest that is one is \"" + nearest(name) + "\"");
        }
    }

    private static String nearest(String name) {
        return ZoneId.getAvailableZoneIds().stream()
                .min(Comparator.<String>comparingInt(id -> distance(name, id)).thenComparing(Comparator.naturalOrder()))
                .orElse("UTC");
    }

    /** How far from a zone's name, or from the city in it: who types Berlin means Europe/Berlin. */
    private static int distance(String name, String zone) {
        int whole = edits(name, zone);
        int city = edits(name, zone.substring(zone.lastIndexOf('/') + 1));
        return Math.min(whole, city + 1);
    }

    /** The edits from one to the other (Levenshtein), in any case, with spaces for underscores. */
    private static int edits(String from, String to) {
        int[] row = new int[to.length() + 1];
        for (int j = 0; j <= to.length(); j++) {
            row[j] = j;
        }
        for (int i = 1; i <= from.length(); i++) {
            int diagonal = row[0];
            row[0] = i;
            for (int j = 1; j <= to.length(); j++) {
                int replaced = diagonal + (plain(from.charAt(i - 1)) == plain(to.charAt(j - 1)) ? 0 : 1);
                diagonal = row[j];
                row[j] = Math.min(replaced, Math.min(row[j], row[j - 1]) + 1);
            }
        }
        return row[to.length()];
    }

    private static char plain(char c) {
        return c == ' ' ? '_' : Character.toLowerCase(c);
    }
}
