package io.twinbell.node.task.definition;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The HTTP status codes that count as success.
 *
 * @param written as in the task, such as {@code 200}, {@code 2xx} or {@code 200-299}
 */
public record StatusCodes(List<String> written) {
    public static final StatusCodes DEFAULT = new StatusCodes(List.of("2xx"));
    public static final String EXPECTATION = "must be a status such as 200, \"2xx\" or \"200-299\"";
    private static final Pattern CLASS = Pattern.compile("([1-5])xx");
    private static final Pattern RANGE = Pattern.compile("([1-5]\\d\\d)(?:-([1-5]\\d\\d))?");

    /** Returns the text of a list element; null if it is not a valid status or range. */
    public static String read(JsonNode element) {
        String text = element.isIntegralNumber() || element.isTextual() ? element.asText() : "";
        int[] range = range(text);
        return range == null || range[0] > range[1] ? null : text;
    }

    /** Whether the status is a success. */
    public boolean contain(int status) {
        return written.stream().map(StatusCodes::range).anyMatch(range -> range[0] <= status && status <= range[1]);
    }

    private static int[] range(String text) {
        Matcher wholeClass = CLASS.matcher(text);
        if (wholeClass.matches()) {
            int first = Integer.parseInt(wholeClass.group(1)) * 100;
            return new int[] {first, first + 99};
        }
        Matcher range = RANGE.matcher(text);
        if (!range.matches()) {
            return null;
        }
        int first = Integer.parseInt(range.group(1));
        return new int[] {first, range.group(2) == null ? first : Integer.parseInt(range.group(2))};
    }
}
