package io.twinbell.node.limit.store;

/**
 * The quota of each app; 0 for no limit.
 *
 * @param tasks how many tasks it may have
 * @param addsPerMinute how many tasks it may add in a minute
 * @param bytes how many bytes its definitions may take in the database
 * @param firesPerMinute how many of its executions may start in a minute; the master enforces it, not the database
 */
public record AppQuota(long tasks, long addsPerMinute, long bytes, int firesPerMinute) {
    public static final AppQuota NONE = new AppQuota(0, 0, 0);

    /** Quotas that the database enforces. */
    public AppQuota(long tasks, long addsPerMinute, long bytes) {
        this(tasks, addsPerMinute, bytes, 0);
    }

    /** Whether the database enforces any of them. */
    public boolean isStored() {
        return tasks > 0 || addsPerMinute > 0 || bytes > 0;
    }
}
