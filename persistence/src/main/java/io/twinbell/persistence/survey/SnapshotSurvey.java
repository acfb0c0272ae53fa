package io.twinbell.persistence.survey;

import io.twinbell.persistence.database.DedicatedConnection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * Looks for what keeps vacuum from cleaning up in this database: a snapshot that a session, a prepared transaction, a replica or a replication
 * slot has held for long. The tables of a pair change with each fire, so they grow, and every claim becomes dearer.
 */
public final class SnapshotSurvey {
    /** Longer than any statement of a node takes. */
    public static final Duration LONG = Duration.ofMinutes(1);

    private static final int MOST = 5;

    /** A replication slot has no time: its transaction's age stands for it, at more than 100,000 transactions. */
    private static final String HOLDERS = """
            select * from (
              select extract(epoch from clock_timestamp() - xact_start)::bigint as seconds,
                     format('session %s of role %s%s%s', pid, usename,
                       case when application_name <> '' then ', application ' || left(application_name, 64) else '' end,
                       case when client_addr is not null then ' at ' || host(client_addr) else '' end) as holder,
                     format('select pg_terminate_backend(%s)', pid) as way_out
              from pg_stat_activity
              where (backend_xmin is not null or backend_xid is not null) and xact_start < clock_timestamp() - interval '1 minute'
                and backend_type <> 'autovacuum worker' and coalesce(datname, current_database()) = current_database()
              union all
              select extract(epoch from clock_timestamp() - prepared)::bigint, format('prepared transaction %s of role %s', gid, owner),
                     format('commit or rollback prepared %L', gid)
              from pg_prepared_xacts where database = current_database() and prepared < clock_timestamp() - interval '1 minute'
              union all
              select null, format('replication slot %s, by %s transactions', slot_name, greatest(age(xmin), age(catalog_xmin))),
                     format('let its client catch up, or select pg_drop_replication_slot(%L)', slot_name)
              from pg_replication_slots where greatest(age(xmin), age(catalog_xmin)) > 100000
            ) h order by seconds desc nulls last limit ?""";

    private final DedicatedConnection connection;

    /**
     * Who holds one.
     *
     * @param seconds for how long; 0 for a replication slot
     * @param wayOut what would end it
     */
    public record Holder(long seconds, String holder, String wayOut) {}

    public SnapshotSurvey(DedicatedConnection connection) {
        this.connection = connection;
    }

    /** Those that have held one for more than {@link #LONG}, the oldest first, {@value #MOST} at most. */
    public List<Holder> look() {
        return connection.run(c -> {
            try (PreparedStatement statement = c.prepareStatement(HOLDERS)) {
                statement.setInt(1, MOST);
                List<Holder> holders = new ArrayList<>();
                try (ResultSet rows = statement.executeQuery()) {
                    while (rows.next()) {
                        holders.add(new Holder(rows.getLong(1), rows.getString(2), rows.getString(3)));
                    }
                }
                return holders;
            }
        });
    }
}
