package io.twinbell.persistence.limit;

/**
 * The quota of each app; 0 for no limit.
 *
 * @param tasks how many tasks it may have
 * @param addsPerMinute how many tasks it may add in a minute
 * @param bytes how many bytes its definitions may take in the database
 */
public record AppQuota(long tasks, long addsPerMinute, long bytes) {
    public static final AppQuota NONE = new AppQuota(0, 0, 0);
}
