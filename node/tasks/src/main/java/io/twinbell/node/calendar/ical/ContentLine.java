package io.twinbell.node.calendar.ical;

import io.twinbell.node.json.InvalidJsonException;
import io.twinbell.node.schedule.text.SafeQuote;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;

/**
 * One property of an iCalendar file, as an unfolded line.
 *
 * @param number of the line at which it begins, counted from 1
 * @param name in upper case
 * @param parameters by their names in upper case, without quotes
 */
public record ContentLine(int number, String name, Map<String, String> parameters, String value) {
    /** @throws InvalidJsonException if the line is not {@code NAME;PARAMETER=value:value} */
    static ContentLine of(int number, String text) {
        int at = endOf(text, 0, ";:");
        String name = text.substring(0, at).strip().toUpperCase(Locale.ROOT);
        // Not Map.of(): with many names of one hash code it is slow.
        Map<String, String> parameters = new HashMap<>();
        while (at < text.length() && text.charAt(at) == ';') {
            int next = endOf(text, at + 1, ";:");
            String parameter = text.substring(at + 1, next);
            int equals = parameter.indexOf('=');
            if (equals < 1) {
                throw refusal(number, name + ": the parameter " + SafeQuote.of(parameter) + " has no value");
            }
            String key = parameter.substring(0, equals).strip().toUpperCase(Locale.ROOT);
            if (parameters.put(key, unquoted(parameter.substring(equals + 1))) != null) {
                throw refusal(number, name + ": the parameter " + key + " is given twice");
            }
            at = next;
        }
        if (at == text.length()) {
            throw refusal(number, "has no colon, so it is not a property");
        }
        return new ContentLine(number, name, parameters, text.substring(at + 1));
    }

    /** Returns the position of the first of these characters outside quotes, or the end of the text. */
    private static int endOf(String text, int from, String characters) {
        boolean isQuoted = false;
        for (int i = from; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '"') {
                isQuoted = !isQuoted;
            } else if (!isQuoted && characters.indexOf(c) >= 0) {
                return i;
            }
        }
        return text.length();
    }

    /** RFC 6868 encodes a quote within a value as {@code ^'}. */
    private static String unquoted(String value) {
        return value.replace("\"", "").replace("^'", "\"").replace("^n", "\n").replace("^^", "^");
    }

    /** Returns the value of a parameter, or null. */
    public String parameter(String key) {
        return parameters.get(key);
    }

    /** Creates an error for this property. */
    public InvalidJsonException refusal(String detail) {
        return refusal(number, name + ": " + detail);
    }

    /** Creates an error for a line. */
    public static InvalidJsonException refusal(int line, String detail) {
        return new InvalidJsonException("", "line " + line + ": " + detail);
    }
}
