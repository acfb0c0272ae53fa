package io.twinbell.persistence.testing;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.postgresql.ds.PGSimpleDataSource;

/** A real server of its own, with the current schema, whose files can be copied, put back and started elsewhere. */
public final class RestorablePostgres implements AutoCloseable {
    private final Path data;
    private final Path backup;
    private final int port;
    private final List<EmbeddedPostgres> clones = new ArrayList<>();
    private EmbeddedPostgres server;

    private RestorablePostgres(Path directory) throws IOException {
        data = directory.resolve("data");
        backup = directory.resolve("backup");
        MigratedServer.copyTo(data);
        server = MigratedServer.on(data).start();
        port = server.getPort();
    }

    public static RestorablePostgres start(Path directory) throws IOException {
        return new RestorablePostgres(directory);
    }

    /** Makes a backup. Sessions end meanwhile. */
    public void backUp() throws IOException {
        server.close();
        MigratedServer.copy(data, backup);
        server = MigratedServer.on(data).setPort(port).start();
    }

    /** Starts the server on its old port with the files of the backup. */
    public void putBack() throws IOException {
        replaceFiles();
        server = MigratedServer.on(data).setPort(port).start();
    }

    /** Does the same as a restore to a point in time does it: the server recovers, and goes on with a new timeline. */
    public void recover() throws IOException {
        replaceFiles();
        Files.createFile(data.resolve("recovery.signal"));
        server = MigratedServer.on(data)
                .setPort(port)
                .setServerConfig("restore_command", "false")
                .start();
    }

    private void replaceFiles() throws IOException {
        server.close();
        Files.move(data, data.resolveSibling("lost"));
        MigratedServer.copy(backup, data);
    }

    /** Starts the backup as a second server beside the original. */
    public PGSimpleDataSource startClone() throws IOException {
        EmbeddedPostgres clone = MigratedServer.on(backup).start();
        clones.add(clone);
        return (PGSimpleDataSource) clone.getDatabase("postgres", MigratedServer.DATABASE);
    }

    public PGSimpleDataSource database() {
        return (PGSimpleDataSource) server.getDatabase("postgres", MigratedServer.DATABASE);
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
