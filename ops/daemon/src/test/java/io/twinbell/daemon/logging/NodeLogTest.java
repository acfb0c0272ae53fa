package io.twinbell.daemon.logging;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.twinbell.node.config.LogConfig;
import io.twinbell.node.config.LogConfig.Format;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.MDC;
import org.slf4j.event.Level;
import org.slf4j.helpers.BasicMDCAdapter;

class NodeLogTest {
    private final LoggerContext context = new LoggerContext();
    private final Logger log = context.getLogger("io.twinbell.test");

    @TempDir
    private Path directory;

    NodeLogTest() {
        context.setMDCAdapter(MDC.getMDCAdapter() == null ? new BasicMDCAdapter() : MDC.getMDCAdapter());
    }

    /** logback waits for the newest of its files to be compressed, and leaves those before to their threads. */
    @AfterEach
    void stop() throws InterruptedException {
        MDC.clear();
        List<ExecutorService> threads = List.of(context.getExecutorService(), context.getAlternateExecutorService());
        context.stop();
        for (ExecutorService executor : threads) {
            executor.shutdown();
            assertTrue(executor.awaitTermination(1, TimeUnit.MINUTES), "logback still writes into the directory");
        }
    }

    private void setUp(Format format, Level level) throws IOException {
        NodeLog.setUp(context, new LogConfig(format, level, directory, 1, 1, 7), "a");
    }

    private List<String> lines() throws IOException {
        return Files.readAllLines(directory.resolve("twinbell-a.log"));
    }

    @Test
    void a_json_line_has_the_message_its_context_and_the_stack_of_what_was_thrown() throws IOException {
        setUp(Format.JSON, Level.INFO);
        MDC.put("slot", "7/2026-03-29T01:00:00.000Z");
        log.warn("a \"{}\"\nline", "quoted", new IllegalStateException("boom"));

        JsonNode line = new ObjectMapper().readTree(lines().get(0));
        assertEquals(1, lines().size());
        assertEquals("a \"quoted\"\nline", line.get("message").textValue());
        assertEquals("WARN", line.get("level").textValue());
        assertEquals("a", line.get("node").textValue());
        assertEquals("7/2026-03-29T01:00:00.000Z", line.get("slot").textValue());
        assertTrue(line.get("time").textValue().matches("\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z"));
        assertTrue(line.get("error").textValue().contains("IllegalStateException: boom"));
    }

    @Test
    void a_line_of_text_shows_a_context_only_where_there_is_one() throws IOException {
        setUp(Format.TEXT, Level.INFO);
        log.info("plain");
        MDC.put("epoch", "17");
        log.info("with");

        assertTrue(lines().get(0).endsWith(" - plain"), lines().get(0));
        assertTrue(lines().get(1).endsWith(" - with {epoch=17}"), lines().get(1));
    }

    @Test
    void lines_below_the_level_are_not_written_and_libraries_stay_at_info() throws IOException {
        setUp(Format.TEXT, Level.DEBUG);
        context.getLogger("org.library").debug("theirs");
        log.debug("ours");
        log.trace("too fine");

        assertEquals(1, lines().size());
        assertTrue(lines().get(0).endsWith("ours"));
    }

    @Test
    void a_file_that_has_grown_is_closed_and_the_next_begun() throws IOException, InterruptedException {
        setUp(Format.TEXT, Level.INFO);
        String text = "x".repeat(10_000);
        for (int i = 0; i < 1000; i++) {
            log.info("{}", text);
        }
        stop();

        try (Stream<Path> files = Files.list(directory)) {
            List<Path> all = files.toList();
            assertTrue(all.stream().anyMatch(file -> file.toString().endsWith(".log.gz")), all::toString);
        }
    }

    @Test
    void a_directory_in_which_nobody_can_write_is_refused() throws IOException {
        Path file = Files.createFile(directory.resolve("file"));
        LogConfig config = new LogConfig(Format.TEXT, Level.INFO, file.resolve("logs"), 1, 1, 7);
        assertThrows(IOException.class, () -> NodeLog.setUp(context, config, "a"));
        assertFalse(Files.exists(file.resolve("logs")));
    }
}
