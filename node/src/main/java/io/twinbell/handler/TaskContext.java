package io.twinbell.handler;

import java.time.Instant;

/** Describes the slot that a handler runs for, and takes the handler's progress reports and log lines. */
public interface TaskContext {
    long taskId();

    String app();

    String name();

    Instant fireTime();

    /** The task id and the fire time: the same for every attempt of the slot. */
    String idempotencyKey();

    /** The number of the attempt; the first is 1. */
    int attempt();

    /**
     * The master's epoch, which serves as a fencing number: a receiver may refuse an epoch smaller than the greatest
     * it has seen.
     */
    long epoch();

    /** The task's data as JSON text, or null. */
    String data();

    /** Returns the value that an interceptor has set for this attempt; null if none has. */
    String attribute(String name);

    /**
     * Reports how far the attempt is. The execution shows the latest report within one second.
     *
     * @param fraction from 0 to 1
     * @param message the current activity, or null; the first 200 characters are kept
     * @throws IllegalArgumentException if the fraction is not between 0 and 1
     */
    void progress(double fraction, String message);

    /**
     * Adds a line to the log of the execution. The latest 8 KiB of an attempt's lines are kept, at most 1000
     * characters of each line.
     */
    void log(String line);
}
