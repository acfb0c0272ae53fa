package io.twinbell.node.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.lang.management.ManagementFactory;
import java.lang.management.MemoryPoolMXBean;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** In processes with collectors of their own. */
class EdenSpaceTest {
    /** What such a process does. */
    static final class EdenProbe {
        private static final int PIECE = 100 << 10;

        private final EdenSpace memory = EdenSpace.ofThisProcess();
        private final Optional<MemoryPoolMXBean> eden = ManagementFactory.getMemoryPoolMXBeans().stream()
                .filter(pool -> pool.getName().endsWith("Eden Space"))
                .findFirst();
        private byte[] latest;

        public static void main(String[] arguments) {
            new EdenProbe().run();
        }

        private void run() {
            long capacity = eden.isEmpty() ? 1 << 20 : eden.get().getUsage().getCommitted();
            fillUntilLessIsFreeThan(capacity / 4);
            say("more than half", memory.ensureRoom(capacity / 2 + 1));
            say("half", memory.ensureRoom(capacity / 2));
            say("as much is free", free() >= capacity / 2);
            say("a little", memory.ensureRoom(capacity / 100));
        }

        private void fillUntilLessIsFreeThan(long bytes) {
            for (int i = 0; i < 10_000 && free() >= bytes; i++) {
                latest = new byte[PIECE];
            }
            say("filled", latest != null && free() < bytes);
        }

        private long free() {
            return eden.map(pool ->
                            pool.getUsage().getCommitted() - pool.getUsage().getUsed())
                    .orElse(0L);
        }

        private static void say(String what, boolean isSo) {
            System.out.print(what + ": " + isSo + "; ");
        }
    }

    private static String outputOf(String collector) throws Exception {
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:+Use" + collector,
                        "-Xms64m",
                        "-Xmx64m",
                        "-cp",
                        System.getProperty("java.class.path"),
                        EdenProbe.class.getName())
                .redirectErrorStream(true)
                .start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertEquals(0, process.waitFor(), output);
        return output;
    }

    @ParameterizedTest
    @ValueSource(strings = {"SerialGC", "ParallelGC"})
    void memory_that_would_fill_too_soon_is_collected_now(String collector) throws Exception {
        assertEquals(
                "filled: true; more than half: false; half: true; as much is free: true; a little: false; ",
                outputOf(collector));
    }

    @Test
    void a_collector_that_decides_by_itself_is_left_alone() throws Exception {
        String output = outputOf("G1GC");
        assertEquals(-1, output.indexOf("half: true"), output);
    }
}
