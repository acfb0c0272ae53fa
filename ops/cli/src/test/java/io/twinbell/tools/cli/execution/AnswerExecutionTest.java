package io.twinbell.tools.cli.execution;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.twinbell.tools.cli.StubNode;
import io.twinbell.tools.cli.TypedCommand;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The commands of a receiver whose execution waits for its callback. */
class AnswerExecutionTest {
    private static final String PATH = "/api/v1/executions/42-1767571200000/";

    @TempDir
    private Path directory;

    private final StubNode node = StubNode.start("a", "MASTER", 7);

    AnswerExecutionTest() throws IOException {}

    @AfterEach
    void close() {
        node.close();
    }

    private Path file(String name, String text) throws IOException {
        return Files.writeString(directory.resolve(name), text);
    }

    private TypedCommand typed(String action, String... more) throws IOException {
        List<String> arguments =
                new ArrayList<>(List.of("executions", action, "42-1767571200000", "--url", node.url()));
        arguments.addAll(
                List.of("--callback-token-file", file("token", "tbc_secret\n").toString()));
        arguments.addAll(Arrays.asList(more));
        return TypedCommand.twinbell(arguments.toArray(String[]::new));
    }

    private String lastRequest() {
        return node.requests().get(node.requests().size() - 1);
    }

    @Test
    void an_outcome_is_posted_with_the_token_of_the_call() throws IOException {
        node.answer(PATH + "complete", "{\"id\":\"42-1767571200000\",\"state\":\"SUCCEEDED\"}");
        TypedCommand done = typed("complete", "--state", "SUCCEEDED", "--result", "42 files");
        assertEquals("42-1767571200000 is completed: SUCCEEDED\n", done.out(), done.err());
        assertEquals("POST " + PATH + "complete {\"state\":\"SUCCEEDED\",\"output\":\"42 files\"}", lastRequest());
        assertEquals(List.of("tbc_secret"), node.callbackTokens());
    }

    @Test
    void a_failure_has_its_error_from_a_file_its_code_and_a_checkpoint() throws IOException {
        String error = "@" + file("stderr", "shelf 7 is empty");
        TypedCommand failed = typed(
                "complete",
                "--state",
                "FAILED",
                "--error",
                error,
                "--error-code",
                "NO_STOCK",
                "--checkpoint",
                "{\"page\":5}");
        assertEquals(0, failed.exitCode(), failed.err());
        assertEquals(
                "POST " + PATH
                        + "complete {\"state\":\"FAILED\",\"error\":\"shelf 7 is empty\",\"errorCode\":\"NO_STOCK\","
                        + "\"checkpoint\":{\"page\":5}}",
                lastRequest());
    }

    @Test
    void a_heartbeat_says_when_the_execution_times_out() throws IOException {
        node.answer(PATH + "heartbeat", "{\"id\":\"42-1767571200000\",\"expiresAt\":\"2026-01-05T01:00:00.000Z\"}");
        TypedCommand beat = typed("heartbeat", "--progress", "0.5", "--message", "21 files");
        assertTrue(beat.out().startsWith("42-1767571200000 times out at 2026-01-05T01:00:00.000Z unless"), beat.out());
        assertEquals("POST " + PATH + "heartbeat {\"progress\":0.5,\"message\":\"21 files\"}", lastRequest());
        assertEquals(
                "{\"id\":\"42-1767571200000\",\"expiresAt\":\"2026-01-05T01:00:00.000Z\"}\n",
                typed("heartbeat", "-o", "json").out());
    }

    @Test
    void a_refusal_is_shown_and_is_the_exit_code() throws IOException {
        node.refuse("{\"title\":\"conflict\",\"detail\":\"this attempt is over\"}");
        TypedCommand late = typed("complete", "--state", "SUCCEEDED");
        assertTrue(late.exitCode() != 0, late.out());
        assertTrue(late.err().contains("409: conflict: this attempt is over"), late.err());
    }

    @Test
    void a_missing_token_or_state_is_a_wrong_usage() throws IOException {
        TypedCommand none = TypedCommand.twinbell("executions", "heartbeat", "42-1767571200000", "--url", node.url());
        assertEquals(2, none.exitCode());
        assertTrue(none.err().contains("TWINBELL_CALLBACK_TOKEN"), none.err());
        assertEquals(2, typed("complete").exitCode());
        assertEquals(2, typed("complete", "--state", "DONE").exitCode());
        assertEquals(
                2,
                typed(
                                "heartbeat",
                                "--callback-token-file",
                                directory.resolve("none").toString())
                        .exitCode());
        TypedCommand empty = TypedCommand.twinbell(
                "executions",
                "heartbeat",
                "42-1",
                "--url",
                node.url(),
                "--callback-token-file",
                file("e", "\n").toString());
        assertTrue(empty.err().contains("must have one line, the token"), empty.err());
        assertEquals(List.of(), node.requests());
    }
}
