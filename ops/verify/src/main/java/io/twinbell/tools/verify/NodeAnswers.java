package io.twinbell.tools.verify;

import com.fasterxml.jackson.databind.JsonNode;
import io.twinbell.tools.check.history.CheckedSlot;
import io.twinbell.tools.check.history.LedgerRow;
import java.time.Instant;
import java.util.OptionalLong;

/** Converts nodes' JSON answers to the checker's values. */
public final class NodeAnswers {
    private NodeAnswers() {}

    public static LedgerRow row(JsonNode execution) {
        long fire = millis(execution, "fireTime").orElseThrow();
        return new LedgerRow(
                new CheckedSlot(execution.path("taskId").asLong(), fire),
                new LedgerRow.CoveredRange(
                        millis(execution, "untilFireTime").orElse(fire),
                        execution.path("slots").asLong(1)),
                LedgerRow.State.valueOf(execution.path("state").asText()),
                new LedgerRow.LatestClaim(
                        execution.path("attempt").asInt(),
                        execution.path("snoozes").asInt(0),
                        execution.path("reruns").asInt(0),
                        execution.path("epoch").asLong(0),
                        millis(execution, "claimedAt"),
                        execution.path("node").asText(null)),
                new LedgerRow.Times(
                        millis(execution, "startedAt"),
                        millis(execution, "endedAt"),
                        millis(execution, "followedAt"),
                        millis(execution, "nextAttemptAt"),
                        millis(execution, "callbackUntil")),
                execution.path("reason").asText(null),
                execution.hasNonNull("origin") || execution.path("reruns").asInt(0) > 0);
    }

    /** Empty if the member is null or missing. */
    public static OptionalLong millis(JsonNode json, String member) {
        return json.hasNonNull(member)
                ? OptionalLong.of(Instant.parse(json.path(member).asText()).toEpochMilli())
                : OptionalLong.empty();
    }
}
