package io.twinbell.receiver;

import java.util.function.UnaryOperator;
import java.util.regex.Pattern;

/**
 * A call of a pair, as its headers describe it.
 *
 * @param key the same for every attempt at a slot: {@code <task id>/<fire time>}
 * @param attempt counts from 1
 * @param epoch the number of the master's term; each new master has a greater one
 * @param taskId the number of the task, or empty if the call delivers an alert
 */
public record TwinbellCall(String key, int attempt, long epoch, String taskId) {
    /** The maximum length of a key, in characters. */
    public static final int MAX_KEY = 200;

    private static final Pattern PRINTABLE = Pattern.compile("[\\x21-\\x7e]{1," + MAX_KEY + "}");

    /**
     * @param headers the value of a header by its name, or null if there is none
     * @throws CallRefusedException 400 if a header is missing or malformed; the message names it
     */
    public static TwinbellCall of(UnaryOperator<String> headers) {
        String key = required(headers, "Idempotency-Key");
        if (!PRINTABLE.matcher(key).matches()) {
            throw new CallRefusedException(
                    400,
                    "the header Idempotency-Key must have 1 to " + MAX_KEY + " printable characters without blanks");
        }
        String taskId = headers.apply("Twinbell-Task");
        return new TwinbellCall(
                key,
                (int) number(headers, "Twinbell-Attempt", Integer.MAX_VALUE),
                number(headers, "Twinbell-Epoch", Long.MAX_VALUE),
                taskId == null ? "" : taskId);
    }

    private static String required(UnaryOperator<String> headers, String name) {
        String value = headers.apply(name);
        if (value == null || value.isEmpty()) {
            throw new CallRefusedException(400, "the header " + name + " is missing: is this a call of Twinbell?");
        }
        return value;
    }

    private static long number(UnaryOperator<String> headers, String name, long max) {
        String text = required(headers, name);
        try {
            long number = Long.parseLong(text);
            if (number >= 1 && number <= max) {
                return number;
            }
        } catch (NumberFormatException e) {
            // Refused below, like a number out of range.
        }
        throw new CallRefusedException(400, "the header " + name + " must be a whole number from 1 to " + max);
    }
}
