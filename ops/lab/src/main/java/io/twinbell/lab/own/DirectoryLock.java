package io.twinbell.lab.own;

import io.twinbell.tools.drill.DrillException;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** Locks the directory of a drill's own pair for one drill. The kernel releases the lock when the drill dies. */
final class DirectoryLock implements AutoCloseable {
    private final FileChannel lock;

    private DirectoryLock(FileChannel lock) {
        this.lock = lock;
    }

    /** @throws DrillException.Refused if another drill holds the lock */
    static DirectoryLock of(Path run) throws IOException, DrillException.Refused {
        Files.createDirectories(run);
        FileChannel channel =
                FileChannel.open(run.resolve("drill.lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        if (!isHeld(channel)) {
            channel.close();
            throw new DrillException.Refused(
                    "another drill uses " + run + " for its temporary pair; choose another directory with --run");
        }
        return new DirectoryLock(channel);
    }

    private static boolean isHeld(FileChannel channel) throws IOException {
        try {
            return channel.tryLock() != null;
        } catch (OverlappingFileLockException heldByThisProcess) {
            return false;
        }
    }

    @Override
    public void close() throws IOException {
        lock.close();
    }
}
