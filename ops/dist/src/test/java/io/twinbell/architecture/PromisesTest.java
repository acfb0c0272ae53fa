package io.twinbell.architecture;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Each promise on the page has tests that guard it, in the profile that the page names. */
class PromisesTest {
    private static final Path TOP = Path.of("..", "..").toAbsolutePath().normalize();
    private static final Pattern ROW = Pattern.compile("(?m)^\\| (?!promise )([^|]+) \\| (`[^|]+`) \\| (\\w+) \\|$");
    private static final Pattern NAME = Pattern.compile("`(\\w+)`");
    /** The annotations of a method, which follow an empty line. */
    private static final Pattern METHOD = Pattern.compile("(?m)(?:^.+\\n)*?^    void \\w+\\(");

    private static final Pattern TEST = Pattern.compile("@(?:Test|ParameterizedTest|TestFactory|RepeatedTest)\\b");

    private static final Pattern THOROUGH_CLASS = Pattern.compile("(?m)^@Tag\\(\"thorough\"\\)$");
    private static final String THOROUGH_METHOD = "    @Tag(\"thorough\")\n";

    private record Promise(String text, List<String> guards, String profile) {}

    @Test
    void each_guard_exists_and_runs_in_the_profile_of_its_row() throws IOException {
        Map<String, Path> classes = testClasses();
        List<String> wrong = new ArrayList<>();
        for (Promise promise : promises()) {
            for (String guard : promise.guards()) {
                Path source = classes.get(guard);
                if (source == null) {
                    wrong.add(guard + " does not exist: " + promise.text());
                } else if (!profiles(source).contains(promise.profile())) {
                    wrong.add(guard + " is not in profile " + promise.profile() + ": " + promise.text());
                }
            }
        }
        assertEquals(List.of(), wrong);
    }

    @Test
    void the_default_build_guards_every_rule_of_authority() throws IOException {
        Set<String> guarded = new TreeSet<>();
        for (Promise promise : promises()) {
            if (promise.profile().equals("default")) {
                guarded.add(promise.text().split(":")[0]);
            }
        }
        List<String> unguarded = IntStream.rangeClosed(1, 10)
                .mapToObj(rule -> "rule " + rule)
                .filter(Predicate.not(guarded::contains))
                .toList();
        assertEquals(List.of(), unguarded);
    }

    private static List<Promise> promises() throws IOException {
        String page = Files.readString(TOP.resolve("ops/docs/PROMISES.md"));
        List<Promise> promises = ROW.matcher(page)
                .results()
                .map(row -> new Promise(row.group(1), names(row.group(2)), row.group(3)))
                .toList();
        long rows = page.lines().filter(line -> line.startsWith("| ")).count();
        long heads = page.lines().filter(line -> line.startsWith("| promise ")).count();
        assertEquals(rows - heads, promises.size(), "rows of another form");
        assertTrue(promises.size() > 100, promises::toString);
        return promises;
    }

    private static List<String> names(String cell) {
        return NAME.matcher(cell).results().map(name -> name.group(1)).toList();
    }

    private static Map<String, Path> testClasses() throws IOException {
        Map<String, Path> classes = new HashMap<>();
        try (Stream<Path> files = Files.walk(TOP)) {
            files.filter(file -> file.toString().contains("/src/test/java/"))
                    .filter(file -> file.toString().endsWith("Test.java"))
                    .forEach(file -> classes.put(file.getFileName().toString().replace(".java", ""), file));
        }
        return classes;
    }

    /** The profiles that run a test of the class. */
    private static Set<String> profiles(Path source) {
        String place = TOP.relativize(source).toString();
        if (place.startsWith("ops/browser/")) {
            return Set.of("browser");
        }
        if (place.startsWith("ops/lab/")) {
            return Set.of("thorough");
        }
        if (place.startsWith("node/boot/")) {
            return Set.of("boot");
        }
        String text;
        try {
            text = Files.readString(source);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        if (THOROUGH_CLASS.matcher(text).find()) {
            return Set.of("thorough");
        }
        Set<String> profiles = new TreeSet<>();
        METHOD.matcher(text)
                .results()
                .map(MatchResult::group)
                .filter(method -> TEST.matcher(method).find())
                .forEach(method -> profiles.add(method.contains(THOROUGH_METHOD) ? "thorough" : "default"));
        return profiles;
    }
}
