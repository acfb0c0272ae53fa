package io.twinbell.tools.devpair;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;

/** {@code services.properties}: there when both servers take connections, whole or not at all. */
final class ServicesFile implements AutoCloseable {
    private final Path file;

    /** Removes what a killed predecessor left, so that nobody takes its file for ours. */
    ServicesFile(Path run) throws IOException {
        this.file = run.resolve("services.properties");
        Files.deleteIfExists(file);
    }

    void write(int postgresPort, int zooKeeperPort) throws IOException {
        String text = "pid=%d%npostgres.port=%d%nzookeeper.port=%d%n"
                .formatted(ProcessHandle.current().pid(), postgresPort, zooKeeperPort);
        Path draft = file.resolveSibling(file.getFileName() + ".draft");
        Files.writeString(draft, text);
        Files.move(draft, file, StandardCopyOption.ATOMIC_MOVE);
    }

    @Override
    public void close() throws IOException {
        Files.deleteIfExists(file);
    }
}
