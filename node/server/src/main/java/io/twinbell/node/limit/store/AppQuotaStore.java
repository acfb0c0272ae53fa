package io.twinbell.node.limit.store;

import io.twinbell.persistence.database.DedicatedConnection;
import io.twinbell.persistence.database.Rows;
import io.twinbell.persistence.epoch.Epoch;
import io.twinbell.persistence.epoch.EpochGuard;
import java.sql.PreparedStatement;

/**
 * Stores the quotas of apps, which triggers enforce, and counts how much of them each app uses. Only the owner of the
 * epoch writes.
 */
public final class AppQuotaStore {
    private static final String REMOVE = "delete from twinbell.app_quota";

    private static final String PUT = """
            insert into twinbell.app_quota (tasks, adds_per_minute, bytes)
            values (nullif(?, 0), nullif(?, 0), nullif(?, 0))
            on conflict (id) do update set tasks = excluded.tasks, adds_per_minute = excluded.adds_per_minute,
              bytes = excluded.bytes""";

    private static final String COUNT = "select twinbell.count_app_usage()";

    private final DedicatedConnection connection;

    public AppQuotaStore(DedicatedConnection connection) {
        this.connection = connection;
    }

    /** Replaces the quotas. */
    public void put(Epoch epoch, AppQuota quota) {
        connection.transaction(c -> {
            if (!EpochGuard.isOwner(c, epoch)) {
                return null;
            }
            try (PreparedStatement statement = c.prepareStatement(quota.isStored() ? PUT : REMOVE)) {
                if (quota.isStored()) {
                    statement.setLong(1, quota.tasks());
                    statement.setLong(2, quota.addsPerMinute());
                    statement.setLong(3, quota.bytes());
                }
                return statement.executeUpdate();
            }
        });
    }

    /** Counts how much each app uses, and returns how many apps have reached a quota. */
    public long count(Epoch epoch) {
        return connection.transaction(c -> {
            if (!EpochGuard.isOwner(c, epoch)) {
                return 0L;
            }
            try (PreparedStatement statement = c.prepareStatement(COUNT)) {
                return Rows.only(statement, row -> row.getLong(1));
            }
        });
    }
}
