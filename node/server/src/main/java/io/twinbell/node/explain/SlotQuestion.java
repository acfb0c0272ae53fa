package io.twinbell.node.explain;

import io.twinbell.node.json.Instants;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeFormatterBuilder;
import java.time.format.ResolverStyle;
import java.time.zone.ZoneOffsetTransition;
import java.util.Locale;
import java.util.regex.Pattern;

/**
 * The instant that a person asks about. A time that is given to the minute or the second stands for all of that minute
 * or second, because people do not know milliseconds.
 *
 * @param fromMillis the first instant, in milliseconds since 1970 UTC
 * @param untilMillis the end, exclusive
 * @param zone the zone that times are shown in
 * @param missingLocal the local time that was given, if the clocks skipped it in this zone; null otherwise. The span
 *     then begins at the first instant after the gap.
 */
public record SlotQuestion(long fromMillis, long untilMillis, ZoneId zone, LocalDateTime missingLocal) {
    private static final Pattern OFFSET = Pattern.compile("(?<=:\\d\\d.{0,10})([Zz]|[+-]\\d\\d(:\\d\\d){0,2})$");
    private static final DateTimeFormatter LOCAL = new DateTimeFormatterBuilder()
            .append(DateTimeFormatter.ISO_LOCAL_DATE)
            .appendPattern("['T'][' ']")
            .append(DateTimeFormatter.ISO_LOCAL_TIME)
            .toFormatter(Locale.ROOT)
            .withResolverStyle(ResolverStyle.STRICT);

    /**
     * Parses an instant ({@code 2026-03-29T01:00:00Z}) or a local time of the zone ({@code 2026-03-29 02:30}). A local
     * time that occurs twice stands for its first occurrence.
     *
     * @throws IllegalArgumentException with a message for the user
     */
    public static SlotQuestion of(String text, ZoneId zone) {
        try {
            return isInstant(text) ? ofInstant(text, zone) : ofLocal(text, zone);
        } catch (DateTimeException e) {
            throw new IllegalArgumentException(
                    "must be an instant such as 2026-03-29T01:00:00Z, or a local time such as 2026-03-29 02:30");
        }
    }

    private static boolean isInstant(String text) {
        return !OFFSET.matcher(text).replaceFirst("").equals(text);
    }

    private static SlotQuestion ofInstant(String text, ZoneId zone) {
        // An instant of a log may be finer than fire times are.
        String inMillis = text.replace(' ', 'T').replaceFirst("(\\.\\d{3})\\d+", "$1");
        return bounded(Instants.millis(inMillis), text, zone, null);
    }

    private static SlotQuestion ofLocal(String text, ZoneId zone) {
        LocalDateTime local = LOCAL.parse(text, LocalDateTime::from);
        ZoneOffsetTransition transition = zone.getRules().getTransition(local);
        return transition != null && transition.isGap()
                ? bounded(transition.getInstant().toEpochMilli(), text, zone, local)
                : bounded(
                        local.atZone(zone)
                                .withEarlierOffsetAtOverlap()
                                .toInstant()
                                .toEpochMilli(),
                        text,
                        zone,
                        null);
    }

    private static SlotQuestion bounded(long from, String text, ZoneId zone, LocalDateTime missingLocal) {
        if (from < 0 || from > Instants.LATEST) {
            throw new IllegalArgumentException("must lie between 1970 and 2199");
        }
        return new SlotQuestion(from, from + precisionMillis(text), zone, missingLocal);
    }

    private static long precisionMillis(String text) {
        String local = OFFSET.matcher(text).replaceFirst("");
        return local.contains(".") ? 1 : local.chars().filter(c -> c == ':').count() > 1 ? 1000 : 60_000;
    }

    /** Whether the span has the instant. */
    public boolean covers(long millis) {
        return fromMillis <= millis && millis < untilMillis;
    }

    /** Formats an instant as a local time of the zone, with the zone's name. */
    String text(long millis) {
        LocalDateTime local = LocalDateTime.ofInstant(Instant.ofEpochMilli(millis), zone);
        String pattern = Math.floorMod(millis, 1000L) == 0 ? "uuuu-MM-dd HH:mm:ss" : "uuuu-MM-dd HH:mm:ss.SSS";
        return DateTimeFormatter.ofPattern(pattern, Locale.ROOT).format(local) + " " + zone.getId();
    }
}
