package io.twinbell.tools.drill;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

@EnabledOnOs(OS.LINUX)
class ProcessSignalsTest {
    @Test
    void a_process_is_stopped_when_each_of_its_threads_is() throws Exception {
        Process process = new ProcessBuilder("sleep", "600").start();
        try {
            assertFalse(ProcessSignals.isStopped(process.toHandle()));
            ProcessSignals.sendAll("STOP", List.of(process.toHandle()));
            await().until(() -> ProcessSignals.isStopped(process.toHandle()));
            ProcessSignals.sendAll("CONT", List.of(process.toHandle()));
            await().until(() -> !ProcessSignals.isStopped(process.toHandle()));
        } finally {
            process.destroyForcibly().waitFor();
        }
        assertTrue(ProcessSignals.isStopped(process.toHandle()), "nothing of it runs any more");
    }

    @Test
    void a_process_that_has_just_ended_needs_no_signal() throws Exception {
        Process ended = new ProcessBuilder("true").start();
        ended.waitFor();

        ProcessSignals.sendUnlessEnded("TERM", ended.toHandle());
        assertThrows(DrillException.Failed.class, () -> ProcessSignals.send("TERM", ended.toHandle()));
    }
}
