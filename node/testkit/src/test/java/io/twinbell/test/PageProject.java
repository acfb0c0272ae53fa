package io.twinbell.test;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.tools.Diagnostic;
import javax.tools.DiagnosticCollector;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

/**
 * The project on a page, written to an empty folder and built there with what an application gets of a release. The system
 * property {@code maven.repo} names Maven's local repository.
 */
public final class PageProject {
    private static final Path TOP = top();
    private static final String VERSION = "0.1.0-SNAPSHOT";
    private static final Pattern FILE = Pattern.compile("(?ms)^`([\\w./]+)`:\\n\\n```\\w+\\n(.*?)^```$");

    private final String page;
    private final Path folder;
    private final Path repository;
    private final Map<String, String> files = new LinkedHashMap<>();

    /** What Maven printed, and how it ended. */
    public record Build(int exitCode, List<String> lines) {
        public String output() {
            return String.join("\n", lines);
        }
    }

    /** @param page such as {@code TESTING.md} */
    public PageProject(String page, Path folder) throws IOException {
        this.page = page;
        this.folder = folder;
        // Each page has its own, because tests of two pages run at once in two processes. It outlives the test, because
        // the frameworks of some pages are large downloads.
        repository = Path.of("target", "page-repositories", page).toAbsolutePath();
        Matcher file = FILE.matcher(Files.readString(TOP.resolve("node/docs").resolve(page)));
        while (file.find()) {
            files.put(file.group(1), file.group(2));
            Path path = folder.resolve(file.group(1));
            Files.createDirectories(path.getParent());
            Files.writeString(path, file.group(2));
        }
    }

    /** The folder with the {@code mvnw} of this build, from that of any module. */
    private static Path top() {
        Path folder = Path.of("").toAbsolutePath();
        while (!Files.exists(folder.resolve("mvnw"))) {
            folder = folder.getParent();
        }
        return folder;
    }

    /** The names of the files in the order of the page. */
    public List<String> names() {
        return List.copyOf(files.keySet());
    }

    /** Changes a file before the build. */
    public void revise(String name, UnaryOperator<String> change) throws IOException {
        String revised = change.apply(files.get(name));
        files.put(name, revised);
        Files.writeString(folder.resolve(name), revised);
    }

    /** Compiles the classes without Maven, and returns the errors. */
    public List<String> compile(String classPath) throws IOException {
        Path classes = Files.createDirectories(folder.resolve("target/compiled"));
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        DiagnosticCollector<JavaFileObject> said = new DiagnosticCollector<>();
        try (StandardJavaFileManager manager = compiler.getStandardFileManager(said, null, null)) {
            List<Path> sources = files.keySet().stream()
                    .filter(name -> name.endsWith(".java"))
                    .map(folder::resolve)
                    .toList();
            List<String> options = List.of("-proc:none", "-cp", classPath, "-d", classes.toString());
            compiler.getTask(null, manager, said, options, null, manager.getJavaFileObjectsFromPaths(sources))
                    .call();
        }
        return said.getDiagnostics().stream()
                .filter(diagnostic -> diagnostic.getKind() == Diagnostic.Kind.ERROR)
                .map(Object::toString)
                .toList();
    }

    public Build build(String phase) throws IOException, InterruptedException {
        return build(phase, Map.of());
    }

    /** @param environment what the build and its tests find in their environment, beside that of this process */
    public Build build(String phase, Map<String, String> environment) throws IOException, InterruptedException {
        Process process = start(phase, environment);
        List<String> lines = process.inputReader().lines().toList();
        return new Build(process.waitFor(), lines);
    }

    /**
     * Runs a goal that does not end by itself, until it prints a line with this text. Then it is ended.
     *
     * @return what it printed until then; without the text if it ended by itself
     */
    public List<String> runUntil(String goal, String text) throws IOException, InterruptedException {
        Process process = start(goal, Map.of());
        List<String> lines = new ArrayList<>();
        try (BufferedReader reader = process.inputReader()) {
            String line = reader.readLine();
            while (line != null) {
                lines.add(line);
                if (line.contains(text)) {
                    return lines;
                }
                line = reader.readLine();
            }
            return lines;
        } finally {
            List<ProcessHandle> children = process.descendants().toList();
            children.forEach(ProcessHandle::destroy);
            for (ProcessHandle child : children) {
                child.onExit().join();
            }
            process.destroy();
            process.waitFor();
        }
    }

    private Process start(String goal, Map<String, String> environment) throws IOException {
        publish(repository);
        if (page.startsWith("SPRING-")) {
            // Built after this module, so that the projects of its own tests cannot have it.
            publish(repository, "twinbell-spring-boot-test", "node/springtest/pom.xml", "node/springtest");
        }
        ProcessBuilder maven = new ProcessBuilder(
                        TOP.resolve("mvnw").toString(),
                        "-B",
                        "-f",
                        folder.resolve("pom.xml").toString(),
                        "-Dmaven.repo.local=" + repository,
                        "-Dmaven.repo.local.tail=" + System.getProperty("maven.repo"),
                        goal)
                .directory(TOP.toFile())
                .redirectErrorStream(true);
        maven.environment().putAll(environment);
        return maven.start();
    }

    /** Builds the project, and requires that this many tests run and pass. */
    public void requireTests(int tests) throws IOException, InterruptedException {
        requireTests(tests, "test", Map.of());
    }

    /** As {@link #requireTests(int)}, up to a phase, and with variables in the environment. */
    public void requireTests(int tests, String phase, Map<String, String> environment)
            throws IOException, InterruptedException {
        Build build = build(phase, environment);
        assertEquals(0, build.exitCode(), build::output);
        String expected = "Tests run: " + tests + ", Failures: 0, Errors: 0";
        assertTrue(build.lines().stream().anyMatch(line -> line.contains(expected)), build::output);
    }

    private static void publish(Path repository) throws IOException {
        publish(repository, "twinbell", "pom.xml", null);
        publish(repository, "twinbell-client", "node/client/pom.xml", "node/client");
        publish(repository, "twinbell-embedded", "node/embedded/dependency-reduced-pom.xml", "node/embedded");
        publish(
                repository,
                "twinbell-embedded-server",
                "node/embeddedserver/dependency-reduced-pom.xml",
                "node/embeddedserver");
        publish(repository, "twinbell-test", "node/testkit/pom.xml", "node/testkit");
        publish(repository, "twinbell-test-servers", "node/testservers/pom.xml", null);
        publish(repository, "twinbell-spring-boot-starter", "node/spring/pom.xml", "node/spring");
    }

    private static void publish(Path repository, String artifact, String pom, String module) throws IOException {
        Path place = repository.resolve("io/twinbell/" + artifact).resolve(VERSION);
        Files.createDirectories(place);
        String name = artifact + "-" + VERSION;
        Files.copy(TOP.resolve(pom), place.resolve(name + ".pom"), StandardCopyOption.REPLACE_EXISTING);
        if (module != null) {
            Files.copy(
                    TOP.resolve(module).resolve("target/" + name + ".jar"),
                    place.resolve(name + ".jar"),
                    StandardCopyOption.REPLACE_EXISTING);
        }
    }
}
