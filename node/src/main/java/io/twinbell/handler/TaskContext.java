package io.twinbell.handler;

import java.time.Instant;

/**
 * What a handler is told of the slot that it runs for.
 *
 * @param idempotencyKey the same for every attempt of the slot: task id and fire time
 * @param attempt 1 for the first
 * @param epoch the fencing number: a receiver may refuse one smaller than the greatest that it has seen
 * @param data the task's data as JSON text, or null
 */
public record TaskContext(
        long taskId,
        String app,
        String name,
        Instant fireTime,
        String idempotencyKey,
        int attempt,
        long epoch,
        String data) {}
