package io.twinbell.daemon.command;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.twinbell.node.settings.ConfigException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** Passwords on their way from the start script to the node. */
class PrivateEnvironmentTest {
    @TempDir
    private Path folder;

    @Test
    void the_piped_text_belongs_to_the_environment_and_its_descriptor_does_not() throws IOException {
        Files.writeString(folder.resolve("9"), "TWINBELL_SECRETS_A=a=b\nc\0TWINBELL_DATABASE_PASSWORD=\u00fc\0");
        assertEquals(
                Map.of("PATH", "/bin", "TWINBELL_SECRETS_A", "a=b\nc", "TWINBELL_DATABASE_PASSWORD", "\u00fc"),
                PrivateEnvironment.read(Map.of("PATH", "/bin", "TWINBELL_PRIVATE_FD", "9"), folder));
        assertEquals(Map.of("PATH", "/bin"), PrivateEnvironment.read(Map.of("PATH", "/bin"), folder));
    }

    @Test
    void a_pipe_that_there_is_not_is_an_error_and_not_a_node_without_passwords() {
        Map<String, String> environment = Map.of("TWINBELL_PRIVATE_FD", "77");
        assertThrows(ConfigException.class, () -> PrivateEnvironment.read(environment, folder));
    }

    /** A script of the same parts starts, in place of a node, a program that prints what it got. */
    @Test
    @EnabledOnOs(OS.LINUX)
    void the_start_script_keeps_passwords_and_secrets_out_of_the_environment_and_passes_them_on() throws Exception {
        Path script = folder.resolve("node");
        Path beside = Path.of("..", "..", "scripts", "parts");
        Path parts = (Files.exists(beside) ? beside : Path.of("scripts", "parts")).toAbsolutePath();
        Files.writeString(script, """
                #!/usr/bin/env bash
                set -euo pipefail
                . %s/daemon.sh
                read_flags() { :; }
                address() { :; }
                run() {
                    tr '\\0' '\\n' </proc/$$/environ
                    echo "--"
                    tr '\\0' '\\n' <"/dev/fd/$TWINBELL_PRIVATE_FD"
                }
                daemon "$@"
                """.formatted(parts));
        ProcessBuilder builder = new ProcessBuilder("bash", script.toString(), "run", "--set", "a b=c");
        builder.redirectErrorStream(true);
        builder.environment()
                .putAll(Map.of(
                        "TWINBELL_DATABASE_PASSWORD", "hidden one",
                        "TWINBELL_SECRETS_KEY", "hidden 'two'\n$HOME",
                        "TWINBELL_HTTP_TLS_PASSWORD", "hidden three",
                        "TWINBELL_DATABASE_URL", "jdbc:postgresql://h/d?user=u&password=hidden",
                        "TWINBELL_SECRETS_OTHER_FILE", "/a/file",
                        "TWINBELL_NODE_ID", "a"));
        Process process = builder.start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        List<String> parted = List.of(output.split("--\n", 2));
        assertEquals(2, parted.size(), output);
        assertFalse(parted.get(0).contains("hidden"), parted.get(0));
        assertTrue(parted.get(0).contains("TWINBELL_NODE_ID=a") && parted.get(0).contains("/a/file"), parted.get(0));
        for (String passed : List.of(
                "TWINBELL_DATABASE_PASSWORD=hidden one\n",
                "TWINBELL_SECRETS_KEY=hidden 'two'\n$HOME\n",
                "TWINBELL_HTTP_TLS_PASSWORD=hidden three\n",
                "password=hidden\n")) {
            assertTrue(parted.get(1).contains(passed), parted.get(1));
        }
    }
}
