package io.twinbell.node.task.reader;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.twinbell.node.engine.task.Retry;
import io.twinbell.node.engine.task.RetryCodes;
import io.twinbell.node.json.Fields;
import java.time.Duration;

/** Reads a retry policy, and writes it back with its defaults. */
public final class RetryReader {
    private static final int MOST_ATTEMPTS = 1000;
    private static final String ONLY_ON = "onlyOn";
    private static final String NOT_ON = "notOn";
    private static final Duration LONGEST_BACKOFF = Duration.ofDays(7);
    private static final Retry OF_TASKS =
            new Retry(1, Duration.ofSeconds(1), 2, Duration.ofMinutes(1), 0.1, RetryCodes.ALL);

    private RetryReader() {}

    /** @param given null if the task has none */
    static Retry read(Fields given, ObjectNode normalized) {
        return read(given, normalized, OF_TASKS);
    }

    /**
     * Reads a retry policy with other defaults.
     *
     * @param given may be null
     */
    public static Retry read(Fields given, ObjectNode normalized, Retry otherwise) {
        Retry retry = given == null ? otherwise : members(given, otherwise);
        normalized.put("maxAttempts", retry.maxAttempts());
        boolean isOfInterest =
                retry.maxAttempts() > 1 || given != null && given.all().size() > 1;
        if (isOfInterest) {
            normalized.put("backoff", retry.backoff().toString());
            normalized.put("multiplier", retry.multiplier());
            normalized.put("maxBackoff", retry.maxBackoff().toString());
            normalized.put("jitter", retry.jitter());
        }
        ErrorCodeReader.write(normalized, ONLY_ON, retry.codes().onlyOn());
        ErrorCodeReader.write(normalized, NOT_ON, retry.codes().notOn());
        return retry;
    }

    private static Retry members(Fields given, Retry otherwise) {
        Long attempts = given.integer("maxAttempts", 1, MOST_ATTEMPTS);
        Duration backoff = given.duration("backoff", Duration.ZERO, LONGEST_BACKOFF);
        Double multiplier = given.number("multiplier", 1, 100);
        Duration maxBackoff = given.duration("maxBackoff", Duration.ZERO, LONGEST_BACKOFF);
        Double jitter = given.number("jitter", 0, 1);
        RetryCodes codes = new RetryCodes(ErrorCodeReader.read(given, ONLY_ON), ErrorCodeReader.read(given, NOT_ON));
        given.refuseUnknown();
        Duration first = backoff == null ? otherwise.backoff() : backoff;
        if (maxBackoff != null && maxBackoff.compareTo(first) < 0) {
            given.error("maxBackoff", "is shorter than the backoff, " + first);
        }
        return new Retry(
                attempts == null ? otherwise.maxAttempts() : attempts.intValue(),
                first,
                multiplier == null ? otherwise.multiplier() : multiplier,
                maxBackoff == null ? longer(first, otherwise.maxBackoff()) : maxBackoff,
                jitter == null ? otherwise.jitter() : jitter,
                codes);
    }

    private static Duration longer(Duration one, Duration other) {
        return one.compareTo(other) > 0 ? one : other;
    }
}
