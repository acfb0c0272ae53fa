package io.twinbell.node.task;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.twinbell.node.json.Fields;
import java.time.Duration;

/** Reads how a task's failures are tried again, and writes it down again with its defaults. */
final class RetryReader {
    private static final int MOST_ATTEMPTS = 1000;
    private static final Duration BACKOFF = Duration.ofSeconds(1);
    private static final Duration LONGEST_BACKOFF = Duration.ofDays(7);
    private static final Duration MAX_BACKOFF = Duration.ofMinutes(1);
    private static final double MULTIPLIER = 2;
    private static final double JITTER = 0.1;

    private RetryReader() {}

    /** @param given null if the task does not say */
    static Retry read(Fields given, ObjectNode normalized) {
        Retry retry = given == null ? new Retry(1, BACKOFF, MULTIPLIER, MAX_BACKOFF, JITTER) : members(given);
        normalized.put("maxAttempts", retry.maxAttempts());
        boolean isOfInterest =
                retry.maxAttempts() > 1 || given != null && given.all().size() > 1;
        if (isOfInterest) {
            normalized.put("backoff", retry.backoff().toString());
            normalized.put("multiplier", retry.multiplier());
            normalized.put("maxBackoff", retry.maxBackoff().toString());
            normalized.put("jitter", retry.jitter());
        }
        return retry;
    }

    private static Retry members(Fields given) {
        Long attempts = given.integer("maxAttempts", 1, MOST_ATTEMPTS);
        Duration backoff = given.duration("backoff", Duration.ZERO, LONGEST_BACKOFF);
        Double multiplier = given.number("multiplier", 1, 100);
        Duration maxBackoff = given.duration("maxBackoff", Duration.ZERO, LONGEST_BACKOFF);
        Double jitter = given.number("jitter", 0, 1);
        given.refuseOthers();
        Duration first = backoff == null ? BACKOFF : backoff;
        if (maxBackoff != null && maxBackoff.compareTo(first) < 0) {
            given.error("maxBackoff", "is shorter than the backoff, " + first);
        }
        return new Retry(
                attempts == null ? 1 : attempts.intValue(),
                first,
                multiplier == null ? MULTIPLIER : multiplier,
                maxBackoff == null ? longer(first, MAX_BACKOFF) : maxBackoff,
                jitter == null ? JITTER : jitter);
    }

    private static Duration longer(Duration one, Duration other) {
        return one.compareTo(other) > 0 ? one : other;
    }
}
