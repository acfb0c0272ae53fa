package io.twinbell.lab.own;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class BoundProcessTest {
    @TempDir
    private Path directory;

    @Test
    void a_bound_process_ends_with_its_owner() throws Exception {
        BoundProcess boundProcess = start("trap '' TERM; sleep 1000 & wait");
        assertTrue(boundProcess.isAlive());

        boundProcess.close();

        assertFalse(boundProcess.isAlive());
    }

    @Test
    void an_end_of_its_own_is_seen_at_once_and_its_words_are_kept() throws Exception {
        try (BoundProcess boundProcess = start("echo done")) {
            await().until(() -> !boundProcess.isAlive());
        }
        assertEquals("done\n", Files.readString(directory.resolve("log")));
    }

    private BoundProcess start(String script) throws Exception {
        return BoundProcess.start(directory.resolve("log"), List.of("sh", "-c", script));
    }
}
