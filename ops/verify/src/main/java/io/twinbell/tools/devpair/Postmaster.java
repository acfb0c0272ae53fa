package io.twinbell.tools.devpair;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** The PostgreSQL process named in a data directory's {@code postmaster.pid}. */
final class Postmaster {
    private static final Duration STOP_LIMIT = Duration.ofSeconds(10);

    private final Path data;

    Postmaster(Path data) {
        this.data = data;
    }

    /** The running process; empty if there is none. The pid may be stale and belong to an unrelated process. */
    Optional<ProcessHandle> find() throws IOException {
        Path file = data.resolve("postmaster.pid");
        if (Files.notExists(file)) {
            return Optional.empty();
        }
        return Files.readAllLines(file).stream()
                .findFirst()
                .map(Long::valueOf)
                .flatMap(ProcessHandle::of)
                .filter(this::servesThisData);
    }

    /**
     * Cleans up after a predecessor that was killed together with its guardian: ends an orphaned server, and deletes a
     * pid file whose number now belongs to another process, because PostgreSQL would refuse to start.
     */
    void endPredecessor() throws IOException, RefusedToStart {
        Optional<ProcessHandle> running = find();
        if (running.isPresent()) {
            end(running.get());
        }
        Files.deleteIfExists(data.resolve("postmaster.pid"));
    }

    private boolean servesThisData(ProcessHandle process) {
        return process.info().commandLine().orElse("").contains(data.toString());
    }

    private static void end(ProcessHandle process) throws RefusedToStart {
        process.destroy();
        try {
            process.onExit().get(STOP_LIMIT.toSeconds(), TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new RefusedToStart("Interrupted while an earlier PostgreSQL was stopping", e);
        } catch (ExecutionException | TimeoutException e) {
            throw new RefusedToStart(
                    "An earlier PostgreSQL (pid " + process.pid() + ") still uses the data directory and does not"
                            + " stop",
                    e);
        }
    }
}
