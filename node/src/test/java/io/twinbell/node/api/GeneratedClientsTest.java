package io.twinbell.node.api;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.abort;

import io.twinbell.TestNodes;
import io.twinbell.Twinbell;
import io.twinbell.node.json.StrictJson;
import io.twinbell.persistence.testing.TestPostgres;
import io.twinbell.persistence.testing.TestZooKeeper;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.postgresql.ds.PGSimpleDataSource;

/**
 * Clients that OpenAPI Generator makes of {@code openapi.json} compile and drive a node. Each needs the tools of its
 * language; a test without them is skipped and says what is missing.
 */
@Tag("thorough")
@Timeout(600)
class GeneratedClientsTest {
    private static final Path GENERATOR =
            Path.of("target", "generator", "openapi-generator-cli.jar").toAbsolutePath();
    private static final Path WORK = Path.of("target", "generated-clients").toAbsolutePath();
    private static final String DRIVEN = "PAUSED\n400\n";

    private static String zooKeeper;
    private static Twinbell node;

    @BeforeAll
    static void start() throws Exception {
        PGSimpleDataSource database = TestPostgres.freshDatabase();
        zooKeeper = TestZooKeeper.freshFolder();
        node = TestNodes.builder("a", database, zooKeeper)
                .set("http.access", "OPEN")
                .set("jmx.enabled", "false")
                .start();
        await().atMost(Duration.ofMinutes(1)).until(() -> node.role().equals("MASTER"));
    }

    @AfterAll
    static void stop() throws Exception {
        node.close();
    }

    /** The exit code and what the command said; -1 if there is no such program. */
    private record CommandResult(int exitCode, String out) {}

    private static CommandResult run(Path directory, List<String> command) throws Exception {
        Path said = Files.createTempFile(WORK, "said", ".txt");
        try {
            ProcessBuilder builder = new ProcessBuilder(command)
                    .directory(directory.toFile())
                    .redirectErrorStream(true)
                    .redirectOutput(said.toFile());
            builder.environment().put("GOFLAGS", "-mod=mod");
            builder.environment().put("GOPROXY", "off");
            // Java would print that it has picked them up.
            builder.environment().remove("JAVA_TOOL_OPTIONS");
            int exitCode = builder.start().waitFor();
            return new CommandResult(exitCode, Files.readString(said));
        } catch (IOException e) {
            return new CommandResult(-1, e.getMessage());
        }
    }

    private static String ok(Path directory, String... command) throws Exception {
        CommandResult result = run(directory, List.of(command));
        assertEquals(0, result.exitCode(), String.join(" ", command) + "\n" + result.out());
        return result.out();
    }

    /** Skips the test if the program does not answer. */
    private static void needs(String what, String... command) throws Exception {
        Files.createDirectories(WORK);
        if (run(WORK, List.of(command)).exitCode() != 0) {
            abort("skipped: needs " + what);
        }
    }

    private static Path generate(String language, String... more) throws Exception {
        if (!Files.exists(GENERATOR)) {
            abort("skipped: needs OpenAPI Generator, which -Pthorough fetches");
        }
        Path into = WORK.resolve(language);
        if (Files.exists(into)) {
            try (Stream<Path> old = Files.walk(into)) {
                old.sorted((one, other) -> other.compareTo(one))
                        .forEach(file -> file.toFile().delete());
            }
        }
        Path description = WORK.resolve("openapi.json");
        Files.write(description, StrictJson.bytes(OpenApiRoutes.document()));
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-jar",
                GENERATOR.toString(),
                "generate",
                "-i",
                description.toString(),
                "-g",
                language,
                "-o",
                into.toString()));
        command.addAll(List.of(more));
        ok(WORK, command.toArray(String[]::new));
        return into;
    }

    private static Path driver(String name, Path into) throws IOException {
        Files.createDirectories(into);
        Path file = into.resolve(name);
        try (InputStream text = GeneratedClientsTest.class.getResourceAsStream("clients/" + name)) {
            Files.copy(text, file, StandardCopyOption.REPLACE_EXISTING);
        }
        return file;
    }

    @Test
    void a_generated_java_client_drives_a_node() throws Exception {
        needs("mvn", "mvn", "--version");
        Path client = generate("java", "--library", "native");
        driver("Drive.java", client.resolve("src/main/java"));
        ok(
                client,
                "mvn",
                "-B",
                "-q",
                "-Dmaven.test.skip",
                "compile",
                "dependency:build-classpath",
                "-Dmdep.outputFile=target/classpath.txt");
        String classes = "target/classes:" + Files.readString(client.resolve("target/classpath.txt"));
        assertEquals(DRIVEN, ok(client, "java", "-cp", classes, "Drive", node.url()));
    }

    @Test
    void a_generated_typescript_client_drives_a_node() throws Exception {
        needs("npm and node 18", "npm", "--version");
        Path client = generate("typescript-fetch");
        Path program = WORK.resolve("typescript-program");
        driver("drive.ts", program);
        ok(WORK, "npm", "install", "--prefix", WORK.toString(), "--no-audit", "--no-fund", "typescript@5");
        ok(WORK, "rm", "-rf", program.resolve("client").toString());
        ok(WORK, "cp", "-r", client.toString(), program.resolve("client").toString());
        ok(
                program,
                "node",
                "../node_modules/typescript/bin/tsc",
                "--strict",
                "--target",
                "es2020",
                "--module",
                "commonjs",
                "--lib",
                "es2020,dom",
                "--outDir",
                "out",
                "drive.ts");
        assertEquals(DRIVEN, ok(program, "node", "out/drive.js", node.url()));
    }

    @Test
    void a_generated_python_client_drives_a_node() throws Exception {
        needs(
                "python3 with pydantic 2, urllib3 and dateutil",
                "python3",
                "-c",
                "import pydantic, urllib3, dateutil; assert int(pydantic.VERSION.split('.')[0]) >= 2");
        Path client = generate("python");
        driver("drive.py", client);
        assertEquals(DRIVEN, ok(client, "python3", "drive.py", node.url()));
    }

    /** The only library that the client imports comes from a registry of Go, so a module without checks stands for it. */
    @Test
    void a_generated_go_client_drives_a_node() throws Exception {
        needs("go", "go", "version");
        Path client = generate("go", "--additional-properties=packageName=twinbell");
        Path validator = Files.createDirectories(client.resolve("validator"));
        Files.writeString(validator.resolve("go.mod"), "module gopkg.in/validator.v2\n");
        Files.writeString(
                validator.resolve("validator.go"),
                "package validator\n\nfunc Validate(v interface{}) error { return nil }\n");
        ok(client, "rm", "-rf", "go.sum", "test");
        Files.writeString(client.resolve("go.mod"), """
                module twinbell.example/client

                go 1.18

                require gopkg.in/validator.v2 v2.0.1

                replace gopkg.in/validator.v2 => ./validator
                """);
        driver("drive.go", client.resolve("drive"));
        assertEquals(DRIVEN, ok(client, "go", "run", "./drive", node.url()));
    }
}
