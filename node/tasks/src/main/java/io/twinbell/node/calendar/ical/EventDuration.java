package io.twinbell.node.calendar.ical;

import io.twinbell.node.json.InvalidJsonException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A DURATION: its days are wall-clock days, the rest is exact (RFC 5545, 3.3.6).
 *
 * @param days added first, on the wall clock
 * @param seconds added afterwards
 */
public record EventDuration(long days, long seconds) {
    private static final String NUMBER = "([0-9]{1,9})";
    private static final Pattern FORM = Pattern.compile("([+-])?P(?:" + NUMBER + "W)?(?:" + NUMBER + "D)?(?:T(?:"
            + NUMBER + "H)?(?:" + NUMBER + "M)?(?:" + NUMBER + "S)?)?");

    /** @throws InvalidJsonException if the text is not a duration */
    public static EventDuration of(String text, ContentLine property) {
        Matcher parts = FORM.matcher(text);
        if (!parts.matches() || text.endsWith("P") || text.endsWith("T")) {
            throw property.refusal(QuotedText.quoted(text) + " is not a duration such as P1D or PT2H30M");
        }
        int sign = "-".equals(parts.group(1)) ? -1 : 1;
        return new EventDuration(
                sign * (7 * number(parts, 2) + number(parts, 3)),
                sign * (3600 * number(parts, 4) + 60 * number(parts, 5) + number(parts, 6)));
    }

    private static long number(Matcher parts, int group) {
        return parts.group(group) == null ? 0 : Long.parseLong(parts.group(group));
    }
}
