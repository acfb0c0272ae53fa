package io.twinbell.architecture;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Pages stay short, linked and in plain English. */
class PagesTest {
    private static final Path TOP = Path.of("..", "..").toAbsolutePath().normalize();
    private static final int README_BYTES = 10_240;
    private static final int DESIGN_BYTES = 8_192;
    private static final int CELL_CHARACTERS = 120;
    private static final Pattern CONTENTS = Pattern.compile("(?m)^(- )?\\[[^\\]]+]\\(#");
    private static final int LINES_WITHOUT_CONTENTS = 100;

    private static final Pattern CODE_BLOCK = Pattern.compile("(?ms)^ *```.*?^ *```$");
    private static final Pattern LINK = Pattern.compile("\\]\\(([^)\\s]+)\\)");
    private static final Pattern RUNBOOK = Pattern.compile("(?m)^ +runbook: (\\S+)$");
    private static final Pattern HEADING = Pattern.compile("(?m)^#+ (.*)$");
    private static final Pattern CELL_BORDER = Pattern.compile("(?<!\\\\)\\|");
    static final Pattern FORBIDDEN = Pattern.compile(
            "\\b(whoever|of whom|(?:is|are) told of|is what it is|without ado|by and by|lets? go of|has come to"
                    + "|made anew|in its stead|somebody who)\\b");

    @Test
    void the_readme_takes_five_minutes() throws IOException {
        assertTrue(Files.size(TOP.resolve("README.md")) <= README_BYTES, "README.md is longer than 10 KB");
    }

    @Test
    void each_module_explains_itself_on_one_page() throws IOException {
        for (Path page : pages().keySet()) {
            if (page.endsWith("DESIGN.md")) {
                assertTrue(Files.size(TOP.resolve(page)) <= DESIGN_BYTES, page + " is longer than 8 KB");
            }
        }
    }

    @Test
    void every_link_and_anchor_resolves() throws IOException {
        List<String> broken = new ArrayList<>();
        int links = 0;
        for (Map.Entry<Path, String> page : pages().entrySet()) {
            Matcher link = LINK.matcher(page.getValue());
            while (link.find()) {
                if (!link.group(1).matches("[a-z]+:.*")) {
                    links++;
                    if (!resolves(page.getKey(), link.group(1))) {
                        broken.add(page.getKey() + ": " + link.group(1));
                    }
                }
            }
        }
        assertTrue(links > 200, "only " + links + " links were found");
        assertEquals(List.of(), broken);
    }

    /** A package has the pages in docs/, beside the rules. */
    @Test
    void each_alert_rule_leads_to_its_answer() throws IOException {
        List<String> answers = RUNBOOK.matcher(
                        Files.readString(TOP.resolve("ops/dist/src/main/dist/monitoring/prometheus-rules.yaml")))
                .results()
                .map(rule -> rule.group(1))
                .toList();
        assertTrue(answers.size() > 20, answers.toString());
        for (String answer : answers) {
            assertTrue(resolves(Path.of("README.md"), answer.replaceFirst("^docs/", "")), answer);
        }
    }

    @Test
    void a_table_cell_is_a_phrase() throws IOException {
        List<String> tooLong = new ArrayList<>();
        pages().forEach((page, text) -> text.lines()
                .filter(line -> line.startsWith("|"))
                .flatMap(CELL_BORDER::splitAsStream)
                .map(String::strip)
                .filter(cell -> cell.length() > CELL_CHARACTERS)
                .forEach(cell -> tooLong.add(page + ": " + cell)));
        assertEquals(List.of(), tooLong);
    }

    @Test
    void a_long_page_has_a_table_of_contents() throws IOException {
        List<String> without = new ArrayList<>();
        for (Path page : pages().keySet()) {
            String text = Files.readString(TOP.resolve(page));
            if (!page.endsWith("CHANGELOG.md")
                    && text.lines().count() > LINES_WITHOUT_CONTENTS
                    && !CONTENTS.matcher(text).find()) {
                without.add(page.toString());
            }
        }
        assertEquals(List.of(), without);
    }

    @Test
    void no_page_uses_an_idiom_that_has_to_be_read_twice() throws IOException {
        List<String> found = new ArrayList<>();
        pages().forEach((page, text) -> FORBIDDEN
                .matcher(text.replaceAll("\\s+", " ").toLowerCase(Locale.ROOT))
                .results()
                .forEach(idiom -> found.add(page + ": " + idiom.group())));
        assertEquals(List.of(), found);
    }

    private static boolean resolves(Path page, String link) throws IOException {
        String[] parts = link.split("#", 2);
        Path target = parts[0].isEmpty()
                ? TOP.resolve(page)
                : TOP.resolve(page).resolveSibling(parts[0]).normalize();
        return Files.exists(target) && (parts.length == 1 || anchors(target).contains(parts[1]));
    }

    /** As GitHub makes them from headings. */
    private static Set<String> anchors(Path page) throws IOException {
        Set<String> anchors = new HashSet<>();
        Matcher heading = HEADING.matcher(withoutCode(page));
        while (heading.find()) {
            anchors.add(heading.group(1)
                    .strip()
                    .toLowerCase(Locale.ROOT)
                    .replaceAll("\\[([^\\]]*)\\]\\([^)]*\\)", "$1")
                    .replaceAll("[^\\p{L}\\p{N}_\\- ]", "")
                    .replace(' ', '-'));
        }
        return anchors;
    }

    private static String withoutCode(Path page) throws IOException {
        return CODE_BLOCK
                .matcher(Files.readString(page, StandardCharsets.UTF_8))
                .replaceAll("");
    }

    /** The text of each page outside of code blocks, by its path in the project. */
    private static Map<Path, String> pages() throws IOException {
        Map<Path, String> pages = new TreeMap<>();
        try (Stream<Path> files = Files.walk(TOP, 4)) {
            for (Path file :
                    files.filter(path -> path.toString().endsWith(".md")).toList()) {
                Path page = TOP.relativize(file);
                if (!page.toString().matches("(.*/)?(target|run|\\.git)/.*")) {
                    pages.put(page, withoutCode(file));
                }
            }
        }
        assertTrue(pages.size() > 25, "only " + pages.keySet() + " were found");
        return pages;
    }
}
