package io.twinbell.spring;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** An application that only enqueues, and excludes the jar of the node. */
class ClientWithoutNodeTest {
    @Test
    void a_client_needs_no_jar_but_starter_and_client() throws Exception {
        assertThat(output("--twinbell.mode=client"))
                .contains("jdbc client shop", "http client shop", "beans of a node 0");
    }

    @Test
    void a_node_without_its_jar_says_what_to_include() throws Exception {
        assertThat(output())
                .contains("property 'twinbell.mode'", "twinbell-embedded", "set twinbell.mode=client")
                .doesNotContain("jdbc client");
    }

    private static String output(String... arguments) throws IOException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                classPath(),
                ClientApplication.class.getName(),
                "--spring.application.name=shop",
                "--twinbell.client.urls=http://127.0.0.1:1"));
        command.addAll(List.of(arguments));
        Process application =
                new ProcessBuilder(command).redirectErrorStream(true).start();
        return new String(application.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    }

    /** The application's libraries and the client, but neither a node nor what comes with its jar. */
    private static String classPath() {
        return Stream.of(System.getProperty("java.class.path").split(File.pathSeparator))
                .filter(
                        path -> path.matches(
                                "target/(test-)?classes|.*/node/(spring|client)/target/.*|.*/(twinbell-client|spring-[a-z-]*|micrometer-[a-z-]*|jackson-[a-z]*|slf4j-api|logback-[a-z]*|commons-logging)-[0-9][^/]*\\.jar"))
                .collect(Collectors.joining(File.pathSeparator));
    }
}
