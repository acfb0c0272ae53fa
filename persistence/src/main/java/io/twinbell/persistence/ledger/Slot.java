package io.twinbell.persistence.ledger;

import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;

/**
 * One planned run: the identity of an execution and its idempotency key.
 *
 * @param fireTimeMillis milliseconds since 1970 UTC
 */
public record Slot(long taskId, long fireTimeMillis) {
    private static final DateTimeFormatter WHOLE_MILLIS =
            DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH:mm:ss.SSS'Z'").withZone(ZoneOffset.UTC);

    /** The fire time as the contract writes it, {@code 2026-03-29T01:00:00.000Z}. */
    public String fireTime() {
        return WHOLE_MILLIS.format(Instant.ofEpochMilli(fireTimeMillis));
    }

    public String idempotencyKey() {
        return taskId + "/" + fireTime();
    }
}
