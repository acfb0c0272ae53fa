package io.twinbell.tools.devpair;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Locale;

/**
 * The file {@code services.properties}. It exists only while both servers accept connections, and is written
 * atomically.
 */
final class ServicesFile implements AutoCloseable {
    private final Path file;

    /** Removes the file of a killed predecessor, so that it is not taken for the current one. */
    ServicesFile(Path run) throws IOException {
        this.file = run.resolve("services.properties");
        Files.deleteIfExists(file);
    }

    void write(int postgresPort, int zooKeeperPort) throws IOException {
        String text = String.format(
                Locale.ROOT,
                "pid=%d%npostgres.port=%d%nzookeeper.port=%d%n",
                ProcessHandle.current().pid(),
                postgresPort,
                zooKeeperPort);
        Path draft = file.resolveSibling(file.getFileName() + ".draft");
        Files.writeString(draft, text);
        Files.move(draft, file, StandardCopyOption.ATOMIC_MOVE);
    }

    @Override
    public void close() throws IOException {
        Files.deleteIfExists(file);
    }
}
