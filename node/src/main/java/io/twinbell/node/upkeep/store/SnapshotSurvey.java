package io.twinbell.node.upkeep.store;

import io.twinbell.persistence.database.DedicatedConnection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * Finds old snapshots, which prevent vacuum from cleaning up in this database: of sessions, prepared transactions,
 * replicas or replication slots. The tables of a pair change with each fire, so without vacuum they grow, and every
 * claim becomes slower.
 */
public final class SnapshotSurvey {
    /** Longer than any statement of a node takes. */
    public static final Duration LONG = Duration.ofMinutes(1);

    private static final int MAX_HOLDERS = 5;

    /** A replication slot has no time, so the age of its transaction is used: more than 100,000 transactions. */
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
     * The holder of an old snapshot.
     *
     * @param seconds the age; 0 for a replication slot
     * @param wayOut the statement or step that ends the hold on vacuum
     */
    public record Holder(long seconds, String holder, String wayOut) {}

    public SnapshotSurvey(DedicatedConnection connection) {
        this.connection = connection;
    }

    /** The holders of snapshots older than {@link #LONG}, oldest first, at most {@value #MAX_HOLDERS}. */
    public List<Holder> survey() {
        return connection.run(c -> {
            try (PreparedStatement statement = c.prepareStatement(HOLDERS)) {
                statement.setInt(1, MAX_HOLDERS);
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
