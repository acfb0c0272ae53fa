package io.twinbell.node.task.reader;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.twinbell.node.engine.task.Retry;
import io.twinbell.node.engine.task.RetryCodes;
import io.twinbell.node.json.Fields;
import java.time.Duration;
import java.util.Collections;
import java.util.List;

/** Reads a retry policy, and writes it back with its defaults. */
public final class RetryReader {
    private static final Retry OF_TASKS = new Retry(
            TaskMembers.MAX_ATTEMPTS.standard().intValue(),
            TaskMembers.BACKOFF.standard(),
            TaskMembers.MULTIPLIER.standard(),
            TaskMembers.MAX_BACKOFF.standard(),
            TaskMembers.RETRY_JITTER.standard(),
            RetryCodes.ALL);

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
        TaskMembers.MAX_ATTEMPTS.write((long) retry.maxAttempts(), normalized);
        boolean isOfInterest =
                retry.maxAttempts() > 1 || given != null && given.all().size() > 1;
        if (isOfInterest) {
            TaskMembers.BACKOFF.write(retry.backoff(), normalized);
            TaskMembers.MULTIPLIER.write(retry.multiplier(), normalized);
            TaskMembers.MAX_BACKOFF.write(retry.maxBackoff(), normalized);
            TaskMembers.RETRY_JITTER.write(retry.jitter(), normalized);
        }
        ErrorCodeReader.write(
                normalized, TaskMembers.ONLY_ON.name(), retry.codes().onlyOn());
        ErrorCodeReader.write(
                normalized, TaskMembers.NOT_ON.name(), retry.codes().notOn());
        return retry;
    }

    private static Retry members(Fields given, Retry otherwise) {
        Long attempts = TaskMembers.MAX_ATTEMPTS.given(given);
        Duration backoff = TaskMembers.BACKOFF.given(given);
        Double multiplier = TaskMembers.MULTIPLIER.given(given);
        Duration maxBackoff = TaskMembers.MAX_BACKOFF.given(given);
        Double jitter = TaskMembers.RETRY_JITTER.given(given);
        RetryCodes codes = new RetryCodes(
                ErrorCodeReader.read(given, TaskMembers.ONLY_ON.name()),
                ErrorCodeReader.read(given, TaskMembers.NOT_ON.name()));
        given.refuseUnknown();
        Duration first = backoff == null ? otherwise.backoff() : backoff;
        if (maxBackoff != null && maxBackoff.compareTo(first) < 0) {
            given.error("maxBackoff", "is shorter than the backoff, " + first);
        }
        return new Retry(
                attempts == null ? otherwise.maxAttempts() : attempts.intValue(),
                first,
                multiplier == null ? otherwise.multiplier() : multiplier,
                maxBackoff == null ? Collections.max(List.of(first, otherwise.maxBackoff())) : maxBackoff,
                jitter == null ? otherwise.jitter() : jitter,
                codes);
    }
}
