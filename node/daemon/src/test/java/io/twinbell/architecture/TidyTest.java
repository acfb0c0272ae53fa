package io.twinbell.architecture;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What a reader would stumble over in the sources, found by reading them. */
class TidyTest {
    /** Imports are not counted: they say where things are, not how much there is to read. */
    private static final int LONGEST_FILE = 385;

    private static final Pattern LEFTOVER = Pattern.compile("\\b(TODO|FIXME|XXX)\\b|printStackTrace\\(\\)");
    private static final Pattern EMPTY_CATCH = Pattern.compile("catch \\([^)]*\\) \\{\\s*\\}");
    private static final Pattern PUBLIC_TYPE = Pattern.compile(
            "^public (?:abstract |final |sealed |non-sealed )*(?:class|interface|record|enum|@interface) ");

    @Test
    void no_file_has_more_than_385_lines_beside_its_imports() throws IOException {
        assertEquals(
                List.of(),
                offenders(
                        "main",
                        lines -> lines.stream()
                                        .filter(line -> !line.startsWith("import "))
                                        .count()
                                > LONGEST_FILE));
    }

    @Test
    void nothing_is_left_over_and_no_exception_is_swallowed() throws IOException {
        assertEquals(
                List.of(),
                offenders(
                        "main",
                        lines -> LEFTOVER.matcher(String.join("\n", lines)).find()
                                || EMPTY_CATCH.matcher(String.join("\n", lines)).find()));
    }

    @Test
    void every_public_type_says_what_it_is_for() throws IOException {
        assertEquals(List.of(), offenders("main", TidyTest::hasSilentPublicType));
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
        Path top = Path.of("..", "..").toAbsolutePath().normalize();
        List<String> found = new ArrayList<>();
        int read = 0;
        for (String module :
                new String[] {"persistence", "ha", "ops", "ops/tools", "ops/dist", "node", "node/daemon"}) {
            Path folder = top.resolve(module).resolve("src/" + sources + "/java");
            try (Stream<Path> files = Files.exists(folder) ? Files.walk(folder) : Stream.empty()) {
                for (Path file :
                        files.filter(path -> path.toString().endsWith(".java")).toList()) {
                    read++;
                    if (offends.test(Files.readAllLines(file))) {
                        found.add(top.relativize(file).toString());
                    }
                }
            }
        }
        assertTrue(read > 20, "only " + read + " sources were found");
        return found;
    }
}
