package io.twinbell.node.calendar.ical;

import io.twinbell.node.json.InvalidJsonException;
import io.twinbell.node.schedule.text.SafeQuote;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The length of an event (RFC 5545, 3.3.6).
 *
 * @param days added first, on the wall clock
 * @param seconds exact seconds after these days
 */
public record EventLength(long days, long seconds) {
    private static final long DAY = 24L * 3600;
    private static final String NUMBER = "([0-9]{1,9})";
    private static final Pattern FORM = Pattern.compile("([+-])?P(?:" + NUMBER + "W)?(?:" + NUMBER + "D)?(?:T(?:"
            + NUMBER + "H)?(?:" + NUMBER + "M)?(?:" + NUMBER + "S)?)?");

    /**
     * Parses a DURATION.
     *
     * @throws InvalidJsonException if the text is not a duration
     */
    public static EventLength of(String text, ContentLine property) {
        Matcher parts = FORM.matcher(text.strip().toUpperCase(Locale.ROOT));
        if (!parts.matches() || parts.group().endsWith("P") || parts.group().endsWith("T")) {
            throw property.refusal(SafeQuote.of(text) + " is not a duration such as P1D or PT2H30M");
        }
        int sign = "-".equals(parts.group(1)) ? -1 : 1;
        return new EventLength(
                sign * (7 * number(parts, 2) + number(parts, 3)),
                sign * (3600 * number(parts, 4) + 60 * number(parts, 5) + number(parts, 6)));
    }

    private static long number(Matcher parts, int group) {
        return parts.group(group) == null ? 0 : Long.parseLong(parts.group(group));
    }

    public boolean isPositive() {
        return days * DAY + seconds > 0;
    }

    /** Returns an upper bound in seconds: one day more, because no clock change is longer. */
    public long longest() {
        return (days + 1) * DAY + seconds;
    }
}
