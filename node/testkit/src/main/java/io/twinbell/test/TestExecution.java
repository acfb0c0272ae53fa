package io.twinbell.test;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.twinbell.node.execution.store.Execution;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;

/**
 * A row of the ledger: one slot and its outcome, or many slots with the same fate.
 *
 * @param state PENDING, CLAIMED, RUNNING, RETRYING, SUCCEEDED, FAILED, TIMED_OUT, CANCELLED, SKIPPED, MISSED or DROPPED
 * @param origin TRIGGERED, CHAINED or BACKFILLED; null for a slot of the schedule
 * @param slots how many slots the row stands for
 * @param untilFireTime the last of these slots
 * @param node the node that claimed it, {@code a} or {@code b}; null for none
 * @param startedAt null if it has not started
 * @param endedAt null if it has not ended
 * @param error a failed handler's stack trace; output, error, errorCode and reason may be null
 * @param earlierAttempts the attempts that this one follows, oldest first
 */
public record TestExecution(
        Instant fireTime,
        String state,
        int attempt,
        String origin,
        long slots,
        Instant untilFireTime,
        String node,
        Instant startedAt,
        Instant endedAt,
        String output,
        String error,
        String errorCode,
        String reason,
        List<EarlierAttempt> earlierAttempts) {
    private static final ObjectMapper JSON = new ObjectMapper();

    /** An attempt that another one has followed; the texts may be null. */
    public record EarlierAttempt(int attempt, String state, String error, String errorCode, String reason) {}

    /** Whether it ran, or runs now. */
    public boolean hasStarted() {
        return startedAt != null;
    }

    static TestExecution of(Execution row) {
        Instant fireTime = Instant.ofEpochMilli(row.slots().fireMillis());
        return new TestExecution(
                fireTime,
                row.state().name(),
                row.claim().attempt(),
                row.origin(),
                row.slots().count(),
                row.slots().untilFireMillis().isEmpty()
                        ? fireTime
                        : instant(row.slots().untilFireMillis()),
                row.claim().node(),
                instant(row.times().startedMillis()),
                instant(row.times().endedMillis()),
                row.outcome().output(),
                row.outcome().error(),
                row.outcome().errorCode(),
                row.outcome().reason(),
                earlierAttempts(row.claim().earlierAttempts()));
    }

    private static List<EarlierAttempt> earlierAttempts(String json) {
        if (json == null) {
            return List.of();
        }
        try {
            List<EarlierAttempt> attempts = new ArrayList<>();
            for (JsonNode one : JSON.readTree(json)) {
                attempts.add(new EarlierAttempt(
                        one.path("attempt").asInt(),
                        text(one, "state"),
                        text(one, "error"),
                        text(one, "errorCode"),
                        text(one, "reason")));
            }
            return List.copyOf(attempts);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("the earlier attempts in the ledger are not JSON: " + json, e);
        }
    }

    private static String text(JsonNode object, String member) {
        return object.path(member).asText(null);
    }

    private static Instant instant(OptionalLong millis) {
        return millis.isEmpty() ? null : Instant.ofEpochMilli(millis.getAsLong());
    }

    /** One line for messages. */
    @Override
    public String toString() {
        return fireTime + (slots > 1 ? " to " + untilFireTime + " (" + slots + " slots)" : "") + " " + state
                + (attempt > 1 ? ", attempt " + attempt : "")
                + (errorCode == null ? "" : ", " + errorCode)
                + (reason == null ? "" : ": " + reason);
    }
}
