package io.twinbell.persistence.limit;

import io.twinbell.persistence.database.DedicatedConnection;
import io.twinbell.persistence.database.Rows;
import io.twinbell.persistence.epoch.Epoch;
import io.twinbell.persistence.ledger.ColumnArrays;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Reads limits and the executions that count towards them, on dedicated connections. */
public final class JdbcLimitSource implements LimitSource {
    private static final String LIMITS =
            "select key, max_running, rate_max, (extract(epoch from rate_per) * 1000)::bigint from twinbell.run_limit";

    private static final String KEYS_OF = """
            \sjoin twinbell.task t on t.id = any(array[e.task_id])
            join twinbell.definition d on d.id = any(array[t.definition_id])
            cross join lateral unnest(twinbell.limit_keys(t.app, d)) as k(key) where k.key = any(?::text[])""";

    private static final String ELSEWHERE = """
            select k.key, count(*) from (
              select task_id, epoch from twinbell.execution where state in ('CLAIMED', 'RUNNING')
              union all select task_id, epoch from twinbell.batch_claim) e""" + KEYS_OF + """
            \sand e.epoch <> ? group by k.key""";

    private static final String STARTED = """
            select k.key, twinbell.millis(e.claimed_at) from (
              select task_id, fire_time, claimed_at from twinbell.execution
              where state not in ('PENDING', 'SKIPPED', 'MISSED')
              union all select task_id, fire_time, claimed_at from twinbell.batch_claim) e""" + KEYS_OF + """
            \sand e.claimed_at > statement_timestamp() - ? * interval '1 millisecond'
              and e.fire_time > statement_timestamp() - ? * interval '1 millisecond' - interval '1 day'""";

    private final DedicatedConnection quick;
    private final DedicatedConnection slow;

    /** @param slow a connection on which a slow read of the ledger delays nothing else */
    public JdbcLimitSource(DedicatedConnection quick, DedicatedConnection slow) {
        this.quick = quick;
        this.slow = slow;
    }

    @Override
    public List<RunLimit> limits() {
        return quick.run(LIMITS, statement -> Rows.all(statement, JdbcLimitSource::limit));
    }

    public static RunLimit limit(ResultSet row) throws SQLException {
        int maxRunning = row.getInt(2);
        boolean isUnlimited = row.wasNull();
        int rateMax = row.getInt(3);
        RunLimit.Rate rate = row.wasNull() ? null : new RunLimit.Rate(rateMax, Duration.ofMillis(row.getLong(4)));
        return new RunLimit(row.getString(1), isUnlimited ? RunLimit.UNLIMITED : maxRunning, rate);
    }

    @Override
    public Map<String, Integer> runningElsewhere(Epoch epoch, Collection<String> keys) {
        return quick.run(ELSEWHERE, statement -> {
            new ColumnArrays<>(statement, 1, List.copyOf(keys)).texts(key -> key);
            statement.setLong(2, epoch.number());
            Map<String, Integer> running = new HashMap<>();
            try (ResultSet rows = statement.executeQuery()) {
                while (rows.next()) {
                    running.put(rows.getString(1), rows.getInt(2));
                }
            }
            return running;
        });
    }

    @Override
    public Map<String, List<Long>> startedWithin(Duration time, Collection<String> keys) {
        return slow.run(STARTED, statement -> {
            new ColumnArrays<>(statement, 1, List.copyOf(keys)).texts(key -> key);
            statement.setLong(2, time.toMillis());
            statement.setLong(3, time.toMillis());
            Map<String, List<Long>> started = new HashMap<>();
            try (ResultSet rows = statement.executeQuery()) {
                while (rows.next()) {
                    started.computeIfAbsent(rows.getString(1), key -> new ArrayList<>())
                            .add(rows.getLong(2));
                }
            }
            return started;
        });
    }
}
