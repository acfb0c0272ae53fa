package io.twinbell.lab.own;

import static org.junit.jupiter.api.Assertions.assertThrows;

import io.twinbell.tools.drill.DrillException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DirectoryLockTest {
    @TempDir
    private Path run;

    @Test
    void two_drills_never_share_a_directory() throws Exception {
        try (DirectoryLock first = DirectoryLock.of(run)) {
            assertThrows(DrillException.Refused.class, () -> DirectoryLock.of(run), first::toString);
        }
        DirectoryLock.of(run).close();
    }
}
