package io.twinbell.architecture;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The sources contain nothing that a reader would stumble over. */
class TidyTest {
    static final Path TOP = Path.of("..", "..").toAbsolutePath().normalize();
    private static final List<String> MODULES = List.of(
            "persistence",
            "ha",
            "ops/cli",
            "ops/verify",
            "ops/importers",
            "ops/lab",
            "ops/dist",
            "ops/compare",
            "ops/browser",
            "node/core",
            "node/observe",
            "node/tasks",
            "node/handlers",
            "node/server",
            "node",
            "node/client",
            "node/receiver",
            "ops/daemon",
            "node/embedded",
            "node/embeddedserver",
            "node/spring",
            "node/springtest",
            "node/testkit",
            "node/boot");

    private static final Pattern LEFTOVER = Pattern.compile("\\b(TODO|FIXME|XXX)\\b|printStackTrace\\(\\)");
    private static final Pattern EMPTY_CATCH = Pattern.compile("catch \\([^)]*\\) \\{\\s*\\}");
    private static final Pattern SLOW_COMPARISON = Pattern.compile(
            "(fire_time|finished_at|paused_until|expires_at|over_at|until_time|found_at|ended_at|due_at|claimed_at)"
                    + "\\s*[<>]=?\\s*clock_timestamp\\(\\)");
    /** Also inside a comment, or between two parts of a string. */
    private static final Pattern LINE_BREAK = Pattern.compile("\"?\\s*\\n\\s*(?:\\*|//|\\+ \")? ?");

    private static final Pattern PUBLIC_TYPE = Pattern.compile(
            "^public (?:abstract |final |sealed |non-sealed )*(?:class|interface|record|enum|@interface) ");

    private static final Pattern NESTED_TYPE =
            Pattern.compile("(?m)^ +(?:[a-z-]+ )*(?:class|interface|record|enum|@interface) ([A-Z]\\w*)");

    @Test
    void nothing_is_left_over_and_no_exception_is_swallowed() throws IOException {
        assertEquals(
                List.of(),
                offenders(
                        "main",
                        lines -> LEFTOVER.matcher(String.join("\n", lines)).find()
                                || EMPTY_CATCH.matcher(String.join("\n", lines)).find()));
    }

    /** clock_timestamp() may differ from row to row, so PostgreSQL uses no index: it reads and compares every row. */
    @Test
    void no_statement_compares_an_indexed_time_with_a_clock_that_forbids_the_index() throws IOException {
        assertEquals(
                List.of(),
                offenders(
                        "main",
                        lines -> SLOW_COMPARISON
                                .matcher(String.join("\n", lines))
                                .find()));
    }

    @Test
    void every_public_type_says_what_it_is_for() throws IOException {
        assertEquals(List.of(), offenders("main", TidyTest::hasSilentPublicType));
    }

    @Test
    void every_package_says_what_it_holds() throws IOException {
        Set<Path> packages = new TreeSet<>();
        Set<Path> described = new TreeSet<>();
        for (Path file : sources("main")) {
            packages.add(file.getParent());
            if (file.endsWith("package-info.java")) {
                described.add(file.getParent());
            }
        }
        packages.removeAll(described);
        assertEquals(Set.of(), packages);
    }

    /** Modules that do not know each other may both have a {@code Task}. */
    @Test
    void no_simple_name_stands_for_two_types_of_a_module() throws IOException {
        Map<String, Set<Path>> named = new TreeMap<>();
        for (Path file : Stream.concat(sources("main").stream(), sources("test").stream())
                .filter(file -> !file.endsWith("package-info.java"))
                .toList()) {
            named.computeIfAbsent(moduleOf(file) + " " + simpleName(file), none -> new TreeSet<>())
                    .add(file);
        }
        assertTrue(named.containsKey("ops/dist TidyTest"), named.keySet().toString());
        named.values().removeIf(files -> files.size() == 1);
        assertEquals(Map.of(), named);
    }

    /** A nested type such as {@code Entry} may repeat in several classes, but not the name of a top-level type. */
    @Test
    void no_nested_type_has_the_name_of_a_top_level_type_of_its_module() throws IOException {
        List<Path> files = Stream.concat(sources("main").stream(), sources("test").stream())
                .toList();
        Set<String> topLevel = files.stream()
                .map(file -> moduleOf(file) + " " + simpleName(file))
                .collect(Collectors.toSet());
        Set<String> found = new TreeSet<>();
        for (Path file : files) {
            NESTED_TYPE
                    .matcher(Files.readString(TOP.resolve(file)))
                    .results()
                    .map(type -> type.group(1))
                    .filter(name -> topLevel.contains(moduleOf(file) + " " + name))
                    .forEach(name -> found.add(file + ": " + name));
        }
        assertEquals(Set.of(), found);
    }

    static String moduleOf(Path file) {
        String path = file.toString();
        return path.substring(0, path.indexOf("/src/"));
    }

    /** The modules that have main sources, found by looking. */
    static Set<String> modulesWithMain() throws IOException {
        try (Stream<Path> folders =
                Files.find(TOP, 2, (folder, file) -> Files.isDirectory(folder.resolve("src/main/java")))) {
            return folders.map(folder -> TOP.relativize(folder).toString())
                    .collect(Collectors.toCollection(TreeSet::new));
        }
    }

    static int lines(Path file) throws IOException {
        try (Stream<String> lines = Files.lines(TOP.resolve(file))) {
            return (int) lines.count();
        }
    }

    private static String simpleName(Path file) {
        return file.getFileName().toString().replace(".java", "");
    }

    @Test
    void no_comment_or_message_uses_an_idiom_that_has_to_be_read_twice() throws IOException {
        Set<String> found = new TreeSet<>();
        for (Path file : sources("main")) {
            String text = LINE_BREAK
                    .matcher(Files.readString(TOP.resolve(file)))
                    .replaceAll(" ")
                    .toLowerCase(Locale.ROOT);
            PagesTest.FORBIDDEN.matcher(text).results().forEach(idiom -> found.add(file + ": " + idiom.group()));
        }
        assertEquals(Set.of(), found);
    }

    @Test
    void tests_do_not_sleep_and_none_is_switched_off() throws IOException {
        Pattern forbidden =
                Pattern.compile("Thread\\.sleep\\(|TimeUnit\\.\\w+\\.sleep\\(|@Disabled|assumeTrue\\(false");
        assertEquals(
                List.of(),
                offenders(
                                "test",
                                lines -> forbidden
                                        .matcher(String.join("\n", lines))
                                        .find())
                        .stream()
                        .filter(file -> !file.endsWith("TidyTest.java"))
                        .toList());
    }

    private static boolean hasSilentPublicType(List<String> lines) {
        for (int i = 0; i < lines.size(); i++) {
            if (PUBLIC_TYPE.matcher(lines.get(i)).find()) {
                int above = i - 1;
                while (above >= 0 && lines.get(above).startsWith("@")) {
                    above--;
                }
                return above < 0
                        || !lines.get(above).endsWith("*/") && !lines.get(above).endsWith(")");
            }
        }
        return false;
    }

    private static List<String> offenders(String sources, java.util.function.Predicate<List<String>> offends)
            throws IOException {
        List<String> found = new ArrayList<>();
        for (Path file : sources(sources)) {
            if (offends.test(Files.readAllLines(TOP.resolve(file)))) {
                found.add(file.toString());
            }
        }
        return found;
    }

    /** The paths of all sources of a kind, from the top of the project. */
    static List<Path> sources(String kind) throws IOException {
        List<Path> found = new ArrayList<>();
        for (String module : MODULES) {
            Path folder = TOP.resolve(module).resolve("src/" + kind + "/java");
            try (Stream<Path> files = Files.exists(folder) ? Files.walk(folder) : Stream.empty()) {
                files.filter(path -> path.toString().endsWith(".java"))
                        .map(TOP::relativize)
                        .forEach(found::add);
            }
        }
        assertTrue(found.size() > 20, "only " + found.size() + " sources were found");
        return found;
    }

    /** What no application depends on: programs, packages, and what only tests use. */
    private static final Set<String> NO_LIBRARIES =
            Set.of("ops/cli", "ops/verify", "ops/importers", "ops/lab", "ops/dist", "ops/daemon", "node/bom");

    @Test
    void the_bom_has_each_library_in_the_version_of_the_project() throws IOException {
        String root = Files.readString(TOP.resolve("pom.xml"));
        Set<String> libraries = new TreeSet<>();
        for (String module : found(root.substring(0, root.indexOf("</modules>")), "<module>([^<]+)</module>")) {
            if (!NO_LIBRARIES.contains(module)) {
                String pom = Files.readString(TOP.resolve(module).resolve("pom.xml"));
                libraries.add(found(pom.substring(pom.indexOf("</parent>")), "<artifactId>([^<]+)<")
                        .get(0));
            }
        }
        String bom = Files.readString(TOP.resolve("node/bom/pom.xml"));
        String managed = bom.substring(bom.indexOf("<dependencyManagement>"), bom.indexOf("</dependencyManagement>"));
        assertEquals(libraries, new TreeSet<>(found(managed, "<artifactId>([^<]+)<")));
        assertEquals(
                found(root, "<version>([^<]+)<").get(0),
                found(bom, "<version>([^<]+)<").get(0));
    }

    static List<String> found(String text, String pattern) {
        return Pattern.compile(pattern)
                .matcher(text)
                .results()
                .map(one -> one.group(1))
                .toList();
    }
}
