package io.twinbell.node.pair;

import io.twinbell.persistence.database.Migrations;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.postgresql.ds.PGSimpleDataSource;

/** A PostgreSQL server of its own, all processes of which can be stopped by SIGSTOP. */
final class FreezableServer implements AutoCloseable {
    /** The default of 10 s is too short on a busy disk. */
    private static final Duration START_LIMIT = Duration.ofMinutes(1);

    private final EmbeddedPostgres server;
    private final long postmaster;

    FreezableServer() throws IOException, SQLException {
        server = EmbeddedPostgres.builder()
                .setServerConfig("max_connections", "100")
                .setPGStartupWait(START_LIMIT)
                .start();
        Migrations.migrate(database());
        postmaster = postmaster();
    }

    PGSimpleDataSource database() {
        return (PGSimpleDataSource) server.getPostgresDatabase();
    }

    private long postmaster() throws SQLException, IOException {
        try (Connection connection = database().getConnection();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("show data_directory")) {
            row.next();
            return Long.parseLong(Files.readAllLines(Path.of(row.getString(1), "postmaster.pid"))
                    .get(0)
                    .trim());
        }
    }

    void freeze() throws IOException, InterruptedException {
        // The postmaster first, so that it starts no further process.
        signal("-STOP", Stream.of(ProcessHandle.of(postmaster).orElseThrow()));
        signal("-STOP", ProcessHandle.of(postmaster).orElseThrow().descendants());
    }

    void thaw() throws IOException, InterruptedException {
        ProcessHandle main = ProcessHandle.of(postmaster).orElseThrow();
        signal("-CONT", Stream.concat(Stream.of(main), main.descendants()));
    }

    private static void signal(String signal, Stream<ProcessHandle> processes)
            throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of("kill", signal));
        processes.map(process -> Long.toString(process.pid())).forEach(command::add);
        // A process that has ended meanwhile is no error.
        new ProcessBuilder(command).start().waitFor();
    }

    @Override
    public void close() throws IOException {
        try {
            thaw();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            server.close();
        }
    }
}
