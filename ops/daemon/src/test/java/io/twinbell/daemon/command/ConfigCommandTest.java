package io.twinbell.daemon.command;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ConfigCommandTest {
    private static final String SOUND = """
            cluster: prod
            node: {id: a}
            database:
              url: "jdbc:postgresql://db/twinbell?sslmode=require&password=in-the-url&ssl=true"
              password: in-the-file
            zookeeper: {connect: "zk:2181"}
            secrets: {TOKEN: of-a-task, OTHER_FILE: SECRET_FILE}
            """;

    @TempDir
    Path folder;

    @Test
    void a_configuration_that_a_node_would_take_is_ok() throws IOException {
        CommandRun commandRun = check(SOUND);
        assertEquals(0, commandRun.exitCode(), commandRun.err());
        assertTrue(commandRun.out().startsWith("ok: node a of cluster prod would run with "), commandRun.out());
    }

    @Test
    void every_error_names_its_key_its_place_and_the_nearest_valid_key() throws IOException {
        CommandRun commandRun = check(SOUND + "http: {prot: 1}\n", "--set", "workers.size=lots");
        assertEquals(78, commandRun.exitCode());
        assertAll(
                () -> assertTrue(
                        commandRun
                                .err()
                                .matches("(?s).*unknown key \"http.prot\" \\(.*node.yaml, line 8\\); did you mean"
                                        + " \"http.port\"\\?.*"),
                        commandRun.err()),
                () -> assertTrue(
                        commandRun
                                .err()
                                .contains("workers.size must be a whole number from 1 to 1000, not \"lots\" (--set)"),
                        commandRun.err()),
                () -> assertEquals("", commandRun.out()));
    }

    @Test
    void the_effective_configuration_is_shown_with_its_sources_and_without_secrets() throws IOException {
        CommandRun commandRun = check(SOUND, "--show", "--set", "http.port=9999");
        assertEquals(0, commandRun.exitCode(), commandRun.err());
        assertAll(
                () -> assertTrue(commandRun.out().matches("(?s).*http\\.port +9999 +--set\\R.*"), commandRun.out()),
                () -> assertTrue(commandRun.out().matches("(?s).*jmx\\.port +9081 +default\\R.*"), commandRun.out()),
                () -> assertTrue(
                        commandRun.out().matches("(?s).*database\\.password +\\*+ +.*node.yaml, line 5\\R.*"),
                        commandRun.out()),
                () -> assertTrue(
                        commandRun.out().contains("?sslmode=require&password=******&ssl=true"), commandRun.out()),
                () -> assertTrue(
                        commandRun.out().contains(folder.resolve("secret").toString()), commandRun.out()));
        for (String secret : new String[] {"in-the-file", "in-the-url", "of-a-task"}) {
            assertFalse(commandRun.out().contains(secret), commandRun.out());
        }
    }

    @Test
    void a_program_gets_json() throws IOException {
        JsonNode shown =
                new ObjectMapper().readTree(check(SOUND, "--show", "-o", "json").out());
        assertTrue(shown.get("valid").asBoolean());
        assertTrue(shown.get("settings").size() > 20);
        JsonNode refused = new ObjectMapper().readTree(check("{}", "-o", "json").out());
        assertFalse(refused.get("valid").asBoolean());
        assertEquals(3, refused.get("errors").size());
    }

    @Test
    void a_file_that_is_not_there_is_an_error_with_its_name() {
        CommandRun commandRun = CommandRun.twinbell(
                "config", "check", "--config", folder.resolve("gone.yaml").toString());
        assertEquals(78, commandRun.exitCode());
        assertTrue(commandRun.err().contains("there is no file " + folder.resolve("gone.yaml")), commandRun.err());
    }

    private CommandRun check(String yaml, String... more) throws IOException {
        Path secret = Files.writeString(folder.resolve("secret"), "of-a-file");
        Path file = Files.writeString(folder.resolve("node.yaml"), yaml.replace("SECRET_FILE", secret.toString()));
        String[] arguments = new String[4 + more.length];
        System.arraycopy(new String[] {"config", "check", "--config", file.toString()}, 0, arguments, 0, 4);
        System.arraycopy(more, 0, arguments, 4, more.length);
        return CommandRun.twinbell(arguments);
    }
}
