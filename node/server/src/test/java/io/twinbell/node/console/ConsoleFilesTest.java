package io.twinbell.node.console;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class ConsoleFilesTest {
    /** Top down. */
    private static final List<String> MODULES = List.of(
            "main.js",
            "pages.js",
            "activity.js",
            "catalog.js",
            "cluster.js",
            "timeline.js",
            "editor.js",
            "parts.js",
            "shell.js",
            "fields.js",
            "api.js",
            "format.js",
            "html.js");

    private static final Pattern IMPORT = Pattern.compile("from '\\./([\\w.]+)'");
    private static final long MOST_BYTES = 300_000;

    private static String text(String name) {
        return new String(ConsoleFiles.find(name).orElseThrow().content(), StandardCharsets.UTF_8);
    }

    @Test
    void the_console_takes_less_than_300_kilobytes() {
        assertTrue(ConsoleFiles.size() < MOST_BYTES, String.valueOf(ConsoleFiles.size()));
    }

    @Test
    void every_file_that_a_page_or_module_loads_exists() {
        for (String name :
                Stream.concat(Stream.of("index.html"), MODULES.stream()).toList()) {
            Pattern.compile("(?:/console/|from './|import\\('./)([\\w.-]+)")
                    .matcher(text(name))
                    .results()
                    .map((MatchResult found) -> found.group(1))
                    .forEach(file -> assertTrue(ConsoleFiles.find(file).isPresent(), name + " loads " + file));
        }
    }

    @Test
    void a_module_imports_only_modules_below_it() {
        for (String name : MODULES) {
            IMPORT.matcher(text(name))
                    .results()
                    .map(found -> found.group(1))
                    .forEach(file ->
                            assertTrue(MODULES.indexOf(file) > MODULES.indexOf(name), name + " imports " + file));
        }
    }

    @Test
    void no_module_parses_text_as_markup_or_code() {
        Pattern parsing =
                Pattern.compile("innerHTML|outerHTML|insertAdjacentHTML|document\\.write|eval\\(|new Function");
        for (String name : MODULES) {
            assertFalse(parsing.matcher(text(name)).find(), name);
        }
        assertEquals(1, text("index.html").split("<script", -1).length - 1);
    }
}
