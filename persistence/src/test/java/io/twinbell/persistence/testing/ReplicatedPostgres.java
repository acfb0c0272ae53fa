package io.twinbell.persistence.testing;

import io.twinbell.persistence.database.Migrations;
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
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.postgresql.ds.PGSimpleDataSource;

/** A primary of its own, with the current schema, and a streaming replica of it. Both are real servers. */
public final class ReplicatedPostgres implements AutoCloseable {
    private static final String DATABASE = "postgres";

    private final EmbeddedPostgres primary;
    private final EmbeddedPostgres replica;

    private ReplicatedPostgres(EmbeddedPostgres primary, EmbeddedPostgres replica) {
        this.primary = primary;
        this.replica = replica;
    }

    /** Returns when the replica streams from the primary. */
    public static ReplicatedPostgres start(Path directory) throws Exception {
        Path original = directory.resolve("primary");
        Path copy = directory.resolve("replica");
        EmbeddedPostgres born = server(original).start();
        Migrations.migrate(born.getPostgresDatabase());
        born.close();
        copy(original, copy);
        Files.createFile(copy.resolve("standby.signal"));
        EmbeddedPostgres primary = server(original).start();
        Files.writeString(
                copy.resolve("postgresql.auto.conf"),
                "primary_conninfo = 'host=127.0.0.1 port=" + primary.getPort() + " user=postgres'\n",
                StandardOpenOption.APPEND);
        EmbeddedPostgres replica = server(copy).start();
        ReplicatedPostgres both = new ReplicatedPostgres(primary, replica);
        Awaitility.await()
                .until(() -> both.onPrimary("select count(*) from pg_stat_replication where state = 'streaming'")
                        .equals("1"));
        return both;
    }

    private static EmbeddedPostgres.Builder server(Path data) {
        return EmbeddedPostgres.builder().setDataDirectory(data).setCleanDataDirectory(false);
    }

    private static void copy(Path from, Path to) throws IOException {
        try (Stream<Path> files = Files.walk(from)) {
            for (Path file : files.toList()) {
                Path target = to.resolve(from.relativize(file).toString());
                if (Files.isDirectory(file)) {
                    Files.createDirectories(target);
                    Files.setPosixFilePermissions(target, Files.getPosixFilePermissions(file));
                } else {
                    Files.copy(file, target);
                }
            }
        }
    }

    public PGSimpleDataSource primary() {
        return (PGSimpleDataSource) primary.getDatabase("postgres", DATABASE);
    }

    public PGSimpleDataSource replica() {
        return (PGSimpleDataSource) replica.getDatabase("postgres", DATABASE);
    }

    /** The replica takes writes when this returns. The primary goes on, so there are two. */
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
