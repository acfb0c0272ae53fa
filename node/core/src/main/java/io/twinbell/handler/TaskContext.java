package io.twinbell.handler;

import java.time.Instant;

/**
 * The slot that a handler runs for, with methods to report progress, write log lines, save checkpoints and park the
 * attempt.
 */
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

    /**
     * Saves a checkpoint for the next attempt of this slot, in place of the one before. It is durable when this method
     * returns, which takes a database transaction of a few milliseconds.
     *
     * @param json a JSON text of at most 64 KiB, kept as it is
     * @throws IllegalArgumentException if the text is not JSON, or is too long
     * @throws IllegalStateException if the attempt is over, for example after a timeout or a takeover. Nothing is saved
     * @throws UnsupportedOperationException in a transactional handler, whose work is committed as a whole, and in an
     *     interceptor
     */
    default void checkpoint(String json) {
        throw new UnsupportedOperationException("no checkpoint can be saved here");
    }

    /**
     * Parks this attempt: its outcome comes from outside, from the holder of the returned token. The handler passes the
     * callback on and returns; what it returns is ignored. The execution stays RUNNING without a thread, also over a
     * failover, until it is answered or the task's timeout passes. If the handler throws, the attempt fails as usual,
     * unless it was answered before. Parking takes a database transaction, and is durable when this method returns.
     *
     * @throws IllegalStateException if the task has no timeout, or the attempt is over
     * @throws UnsupportedOperationException in a transactional handler, and in an interceptor
     */
    default Callback park() {
        throw new UnsupportedOperationException("no execution can be parked here");
    }

    /**
     * Reads the latest checkpoint of this slot, saved by this or an earlier attempt, also before a failover.
     *
     * @return null if there is none. A rerun of a slot that had succeeded begins without one
     * @throws UnsupportedOperationException as {@link #checkpoint}
     */
    default String lastCheckpoint() {
        throw new UnsupportedOperationException("no checkpoint can be read here");
    }
}
