package io.twinbell.lab.server;

import java.io.IOException;
import java.sql.ResultSet;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/** An administrator's actions on a server that replicates or is a replica. */
public final class ReplicationOperator {
    private static final String NOWHERE = "host=127.0.0.1 port=1";
    private static final String OF_NODES = "usename = 'twinbell' AND backend_type = 'client backend'";

    private final DatabaseOperator database;

    public ReplicationOperator(DatabaseOperator database) {
        this.database = database;
    }

    /** Keeps enough of the write-ahead log for a replica that starts from a copy. */
    public void keepLog() throws IOException {
        database.execute(
                "ALTER SYSTEM SET wal_keep_size = '256MB'",
                "ALTER SYSTEM SET wal_retrieve_retry_interval = '200ms'",
                "SELECT pg_reload_conf()");
    }

    /** Makes each commit wait for the replica from now on. */
    public void waitForReplica() throws IOException {
        setStandbys(ReplicaFiles.NAME);
    }

    /** Lets commits complete without a replica from now on, including those that wait now. */
    public void disableSynchronousReplication() throws IOException {
        setStandbys("");
    }

    private void setStandbys(String names) throws IOException {
        database.execute("ALTER SYSTEM SET synchronous_standby_names = '" + names + "'", "SELECT pg_reload_conf()");
    }

    /** Whether a replica follows this server. */
    public boolean hasReplica() throws IOException {
        return database.number("SELECT count(*) FROM pg_stat_replication WHERE state = 'streaming'") > 0;
    }

    /** Whether commits wait for a replica that follows. */
    public boolean hasSynchronousReplica() throws IOException {
        return database.number("SELECT count(*) FROM pg_stat_replication WHERE sync_state IN ('sync', 'quorum')") > 0;
    }

    /** Stops this replica from receiving anything more. */
    public void stopReceiving() throws IOException {
        database.execute("ALTER SYSTEM SET primary_conninfo = '" + NOWHERE + "'", "SELECT pg_reload_conf()");
    }

    /** Whether this replica is attached to its primary. */
    public boolean isAttached() throws IOException {
        return database.number("SELECT count(*) FROM pg_stat_wal_receiver WHERE status = 'streaming'") > 0;
    }

    /** Whether this replica has replayed everything that it received. */
    public boolean hasReplayed() throws IOException {
        return database.number("SELECT (pg_last_wal_replay_lsn() >= coalesce(pg_last_wal_receive_lsn(), '0/0'))::int")
                == 1;
    }

    /** Writes something; fails if the server accepts no writes. */
    public void write() throws IOException {
        database.execute("COMMENT ON DATABASE twinbell IS 'a drill has written here'");
    }

    /** The names of the nodes' sessions that are older than this. */
    public List<String> sessionsOlderThan(long seconds) throws IOException {
        return database.work("read the sessions of the nodes", connection -> {
            try (Statement statement = connection.createStatement();
                    ResultSet rows = statement.executeQuery(String.format(Locale.ROOT, """
                            SELECT application_name FROM pg_stat_activity
                            WHERE %s AND backend_start < clock_timestamp() - interval '%s seconds'
                            ORDER BY application_name""", OF_NODES, seconds))) {
                List<String> names = new ArrayList<>();
                while (rows.next()) {
                    names.add(rows.getString(1));
                }
                return names;
            }
        });
    }

    /** How many executions were claimed on this server since an instant. */
    public long claimsSince(long millis) throws IOException {
        return database.number(
                "SELECT count(*) FROM twinbell.execution WHERE claimed_at > twinbell.instant(" + millis + ")");
    }

    /** How many executions of these tasks have no outcome on this server. */
    public long unfinished(List<Long> tasks) throws IOException {
        return database.number("SELECT count(*) FROM twinbell.execution WHERE ended_at IS NULL AND task_id IN ("
                + tasks.stream().map(String::valueOf).collect(Collectors.joining(", ")) + ")");
    }
}
