package io.twinbell.persistence.testing;

import io.twinbell.persistence.database.Migrations;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.postgresql.ds.PGSimpleDataSource;

/** A real server of its own, with the current schema, whose files can be copied, put back and started elsewhere. */
public final class RestorablePostgres implements AutoCloseable {
    /** The default of 10 s is too short on a busy disk. */
    private static final Duration START_LIMIT = Duration.ofMinutes(1);

    private static final String DATABASE = "postgres";

    private final Path data;
    private final Path backup;
    private final int port;
    private final List<EmbeddedPostgres> clones = new ArrayList<>();
    private EmbeddedPostgres server;

    private RestorablePostgres(Path directory) throws IOException {
        data = directory.resolve("data");
        backup = directory.resolve("backup");
        server = on(data).start();
        port = server.getPort();
    }

    public static RestorablePostgres start(Path directory) throws IOException {
        RestorablePostgres started = new RestorablePostgres(directory);
        Migrations.migrate(started.server.getPostgresDatabase());
        return started;
    }

    private static EmbeddedPostgres.Builder on(Path data) {
        return EmbeddedPostgres.builder()
                .setDataDirectory(data)
                .setCleanDataDirectory(false)
                .setPGStartupWait(START_LIMIT);
    }

    /** Makes a backup. Sessions end meanwhile. */
    public void backUp() throws IOException {
        server.close();
        copy(data, backup);
        server = on(data).setPort(port).start();
    }

    /** Starts the server on its old port with the files of the backup. */
    public void putBack() throws IOException {
        server.close();
        Files.move(data, data.resolveSibling("lost"));
        copy(backup, data);
        server = on(data).setPort(port).start();
    }

    /** Starts the backup as a second server beside the original. */
    public PGSimpleDataSource startClone() throws IOException {
        EmbeddedPostgres clone = on(backup).start();
        clones.add(clone);
        return (PGSimpleDataSource) clone.getDatabase(DATABASE, DATABASE);
    }

    public PGSimpleDataSource database() {
        return (PGSimpleDataSource) server.getDatabase(DATABASE, DATABASE);
    }

    static void copy(Path from, Path to) throws IOException {
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

    @Override
    public void close() {
        try {
            for (EmbeddedPostgres clone : clones) {
                clone.close();
            }
            server.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
