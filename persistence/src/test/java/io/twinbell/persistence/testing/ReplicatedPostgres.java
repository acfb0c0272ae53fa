package io.twinbell.persistence.testing;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.postgresql.ds.PGSimpleDataSource;

/** A primary of its own, with the current schema, and a streaming replica of it. Both are real servers. */
public final class ReplicatedPostgres implements AutoCloseable {
    public static final String DATABASE = MigratedServer.DATABASE;
    private static final String PRIMARY = "primary";
    private static final String REPLICA = "replica";

    private final Path directory;
    private final Path primaryData;
    private final int primaryPort;
    private EmbeddedPostgres primary;
    private EmbeddedPostgres replica;
    private int replicas;

    private ReplicatedPostgres(Path directory) throws Exception {
        this.directory = directory;
        primaryData = directory.resolve(PRIMARY);
        MigratedServer.copyTo(primaryData);
        // For replicas that start later.
        primary = MigratedServer.on(primaryData)
                .setServerConfig("wal_keep_size", "256MB")
                .start();
        primaryPort = primary.getPort();
        startReplica();
    }

    /** Returns when the replica streams from the primary. */
    public static ReplicatedPostgres start(Path directory) throws Exception {
        return new ReplicatedPostgres(directory);
    }

    private void startReplica() throws Exception {
        Path data = directory.resolve(REPLICA + ++replicas);
        MigratedServer.copyTo(data);
        Files.createFile(data.resolve("standby.signal"));
        Files.writeString(
                data.resolve("postgresql.auto.conf"),
                "primary_conninfo = 'host=127.0.0.1 port=" + primaryPort + " user=postgres'\n",
                StandardOpenOption.APPEND);
        replica = MigratedServer.on(data).start();
        Awaitility.await()
                .until(() -> onPrimary("select count(*) from pg_stat_replication where state = 'streaming'")
                        .equals("1"));
    }

    /** Sees to it that there is a replica, in the place of one that was promoted, and that it has what the primary has. */
    public void renewReplica() throws Exception {
        if (onReplica("select pg_is_in_recovery()").equals("f")) {
            replica.close();
            startReplica();
        }
        String written = onPrimary("select pg_current_wal_flush_lsn()");
        Awaitility.await()
                .until(() -> onReplica("select pg_last_wal_replay_lsn() >= '" + written + "'")
                        .equals("t"));
    }

    public PGSimpleDataSource primary() {
        return (PGSimpleDataSource) primary.getDatabase("postgres", DATABASE);
    }

    public PGSimpleDataSource replica() {
        return (PGSimpleDataSource) replica.getDatabase("postgres", DATABASE);
    }

    /** The URL of both servers. A session reaches a primary; the first server is tried first each time. */
    public String url() {
        return "jdbc:postgresql://127.0.0.1:" + primaryPort + ",127.0.0.1:" + replica.getPort() + "/" + DATABASE
                + "?targetServerType=primary&hostRecheckSeconds=0";
    }

    /** Makes each commit wait for the replica from now on. */
    public void waitForReplica() throws SQLException {
        change(primary(), "alter system set synchronous_standby_names = '*'");
        onPrimary("select pg_reload_conf()");
        Awaitility.await()
                .until(() -> onPrimary("select count(*) from pg_stat_replication where sync_state = 'sync'")
                        .equals("1"));
    }

    /** Makes commits wait for no replica, on the server that was the replica. */
    public void waitForNobody() throws SQLException {
        change(replica(), "alter system set synchronous_standby_names = ''");
        onReplica("select pg_reload_conf()");
    }

    public void stopPrimary() throws IOException {
        primary.close();
    }

    /** Kills the primary as a loss of power would: what its processes have not written is lost. */
    public void killPrimary() throws IOException {
        ProcessHandle postmaster = postmaster(primaryData);
        List<ProcessHandle> all =
                Stream.concat(Stream.of(postmaster), postmaster.descendants()).toList();
        all.forEach(ProcessHandle::destroyForcibly);
        all.forEach(process -> process.onExit().join());
    }

    /** Cuts the replica off, while the primary waits for it. */
    public void detachReplica() throws SQLException {
        change(replica(), "alter system set primary_conninfo = 'host=127.0.0.1 port=1'");
        onReplica("select pg_reload_conf()");
        Awaitility.await()
                .until(() ->
                        onPrimary("select count(*) from pg_stat_replication").equals("0"));
    }

    private static ProcessHandle postmaster(Path data) throws IOException {
        long pid = Long.parseLong(
                Files.readAllLines(data.resolve("postmaster.pid")).get(0).trim());
        return ProcessHandle.of(pid).orElseThrow();
    }

    /** Starts the former primary. It accepts writes without a replica and waits for none. */
    public void startFormerPrimary() throws IOException {
        Files.writeString(
                primaryData.resolve("postgresql.auto.conf"),
                "synchronous_standby_names = ''\n",
                StandardOpenOption.APPEND);
        primary = MigratedServer.on(primaryData).setPort(primaryPort).start();
    }

    /** Promotes the replica, which accepts writes when this returns. The primary continues, so there are two. */
    public void promote() throws SQLException {
        ask(replica(), "select pg_promote()");
    }

    /** The answer's first column. */
    public String onPrimary(String query) throws SQLException {
        return ask(primary(), query);
    }

    public String onReplica(String query) throws SQLException {
        return ask(replica(), query);
    }

    private static void change(PGSimpleDataSource database, String statement) throws SQLException {
        try (Connection connection = database.getConnection();
                Statement change = connection.createStatement()) {
            change.execute(statement);
        }
    }

    private static String ask(PGSimpleDataSource database, String query) throws SQLException {
        try (Connection connection = database.getConnection();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(query)) {
            row.next();
            return row.getString(1);
        }
    }

    @Override
    public void close() {
        try {
            replica.close();
            primary.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
