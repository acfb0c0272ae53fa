package io.twinbell;

import java.time.Instant;

/**
 * A stored task.
 *
 * @param state ACTIVE, PAUSED, FINISHED or ERROR
 * @param nextFireTime null if the task will not fire again, or if its next fire time depends on the end of its run
 * @param previousFireTime null if the task has not fired
 * @param json the whole task, as the HTTP API returns it
 */
public record TaskEntry(
        long id, String app, String name, String state, Instant nextFireTime, Instant previousFireTime, String json) {}
