package io.twinbell.tools.devpair;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** Locks the run directory for one process of the dev services. The kernel releases the lock when the process dies. */
final class RunDirectory implements AutoCloseable {
    private final FileChannel lock;

    private RunDirectory(FileChannel lock) {
        this.lock = lock;
    }

    static RunDirectory claim(Path run) throws IOException, RefusedToStart {
        Files.createDirectories(run.resolve("logs"));
        FileChannel channel =
                FileChannel.open(run.resolve("services.lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        if (channel.tryLock() == null) {
            channel.close();
            throw new RefusedToStart("Another process already runs PostgreSQL and ZooKeeper from " + run);
        }
        return new RunDirectory(channel);
    }

    @Override
    public void close() throws IOException {
        lock.close();
    }
}
