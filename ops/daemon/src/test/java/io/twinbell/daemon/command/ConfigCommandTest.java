package io.twinbell.daemon.command;

import static io.twinbell.tools.cli.TypedCommand.assertExit;
import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.twinbell.tools.cli.TypedCommand;
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
        TypedCommand typed = check(SOUND);
        assertExit(0, typed);
        assertTrue(typed.out().startsWith("ok: node a of cluster prod would run with "), typed.out());
    }

    @Test
    void every_error_names_its_key_its_place_and_the_nearest_valid_key() throws IOException {
        TypedCommand typed = check(SOUND + "http: {prot: 1}\n", "--set", "workers.size=lots");
        assertExit(78, typed);
        assertAll(
                () -> assertTrue(
                        typed.err()
                                .matches("(?s).*unknown key \"http.prot\" \\(.*node.yaml, line 8\\); did you mean"
                                        + " \"http.port\"\\?.*"),
                        typed.err()),
                () -> assertTrue(
                        typed.err()
                                .contains("workers.size must be a whole number from 1 to 1000, not \"lots\" (--set)"),
                        typed.err()),
                () -> assertEquals("", typed.out()));
    }

    @Test
    void the_effective_configuration_is_shown_with_its_sources_and_without_secrets() throws IOException {
        TypedCommand typed = check(SOUND, "--show", "--set", "http.port=9999");
        assertExit(0, typed);
        assertAll(
                () -> assertTrue(typed.out().matches("(?s).*http\\.port +9999 +--set\\R.*"), typed.out()),
                () -> assertTrue(typed.out().matches("(?s).*jmx\\.port +9081 +default\\R.*"), typed.out()),
                () -> assertTrue(
                        typed.out().matches("(?s).*database\\.password +\\*+ +.*node.yaml, line 5\\R.*"), typed.out()),
                () -> assertTrue(typed.out().contains("?sslmode=require&password=******&ssl=true"), typed.out()),
                () -> assertTrue(typed.out().contains(folder.resolve("secret").toString()), typed.out()));
        for (String secret : new String[] {"in-the-file", "in-the-url", "of-a-task"}) {
            assertFalse(typed.out().contains(secret), typed.out());
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
        TypedCommand typed = TypedCommand.twinbell(
                "config", "check", "--config", folder.resolve("gone.yaml").toString());
        assertExit(78, typed);
        assertTrue(typed.err().contains("there is no file " + folder.resolve("gone.yaml")), typed.err());
    }

    private TypedCommand check(String yaml, String... more) throws IOException {
        Path secret = Files.writeString(folder.resolve("secret"), "of-a-file");
        Path file = Files.writeString(folder.resolve("node.yaml"), yaml.replace("SECRET_FILE", secret.toString()));
        String[] arguments = new String[4 + more.length];
        System.arraycopy(new String[] {"config", "check", "--config", file.toString()}, 0, arguments, 0, 4);
        System.arraycopy(more, 0, arguments, 4, more.length);
        return TypedCommand.twinbell(arguments);
    }
}
