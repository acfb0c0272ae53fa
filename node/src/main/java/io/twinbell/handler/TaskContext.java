package io.twinbell.handler;

import java.time.Instant;

/** What a handler is told of the slot that it runs for, and what it may report while it does. */
public interface TaskContext {
    long taskId();

    String app();

    String name();

    Instant fireTime();

    /** The same for every attempt of the slot: task id and fire time. */
    String idempotencyKey();

    /** 1 for the first. */
    int attempt();

    /** The fencing number: a receiver may refuse one smaller than the greatest that it has seen. */
    long epoch();

    /** The task's data as JSON text, or null. */
    String data();

    /**
     * Says how far the attempt is. The execution shows the latest, a second later at most.
     *
     * @param fraction from 0 to 1
     * @param message what it is at, or null; 200 characters of it are kept
     * @throws IllegalArgumentException if the fraction is none
     */
    void progress(double fraction, String message);

    /** Adds a line to what the execution shows. The latest 8 KiB of an attempt's lines are kept, 1000 characters a line. */
    void log(String line);
}
