package io.twinbell.compare;

/** A scheduler that does the work. Its handlers call {@link Runs#began}. */
interface Contender {
    /** Makes its tables and whatever it needs before tasks can be added. */
    void prepare() throws Exception;

    /** Adds tasks that fire once, numbered from {@code first} on, in whatever bulk way it has. */
    void addOnce(int first, long[] fireMillis) throws Exception;

    /** Adds tasks that fire every second from their own start on, numbered from 0 on. */
    void addEverySecond(long[] startMillis) throws Exception;

    /** Ends it in good order. */
    void close() throws Exception;

    /** Begins to fire. */
    void start() throws Exception;

    /** Whether tasks can be added before it has started. */
    default boolean addsBeforeStart() {
        return true;
    }

    /** Whether what is due has to be added without a time, because its times are polled for every few seconds only. */
    default boolean drainsByEnqueueing() {
        return false;
    }

    /** How many a second it surely adds: how far ahead a plan is made. */
    int leastAddedPerSecond();

    /** A query that counts what is not durably done of the tasks that fire once. */
    String unfinished();
}
