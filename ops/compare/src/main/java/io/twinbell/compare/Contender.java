package io.twinbell.compare;

/** A scheduler in the comparison. Its handlers call {@link Runs#began}. */
interface Contender {
    /** Creates its tables and everything else that it needs before tasks can be added. */
    void prepare() throws Exception;

    /** Adds one-shot tasks, numbered from {@code first}, by its own means for bulk loading. */
    void addOnce(int first, long[] fireMillis) throws Exception;

    /** Adds tasks that fire every second from their own start on, numbered from 0. */
    void addEverySecond(long[] startMillis) throws Exception;

    /** Shuts down in an orderly way. */
    void close() throws Exception;

    /** Starts firing. */
    void start() throws Exception;

    /** Whether tasks can be added before it has started. */
    default boolean addsBeforeStart() {
        return true;
    }

    /** Whether due tasks must be added without a time, because it polls for times only every few seconds. */
    default boolean drainsByEnqueueing() {
        return false;
    }

    /** A lower bound of the tasks that it adds per second; it determines how far ahead a plan starts. */
    int leastAddedPerSecond();

    /** A query that counts the one-shot tasks that are not durably done. */
    String unfinished();
}
