package io.twinbell;

import java.time.Instant;

/**
 * A stored task.
 *
 * @param state ACTIVE, PAUSED, FINISHED or ERROR
 * @param nextFireTime null if it will not fire, or waits for the end of its run
 * @param previousFireTime null if it has not fired
 * @param json the whole task, as the API answers it
 */
public record TaskEntry(
        long id, String app, String name, String state, Instant nextFireTime, Instant previousFireTime, String json) {}
