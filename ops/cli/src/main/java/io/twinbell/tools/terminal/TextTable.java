package io.twinbell.tools.terminal;

import io.twinbell.node.json.ControlCharacters;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

/**
 * Renders a text table for people. States are coloured if the terminal shows colours, and control characters are made
 * visible.
 */
public final class TextTable {
    private static final String RED = "31";
    private static final String GREEN = "32";
    private static final String YELLOW = "33";
    private static final String CYAN = "36";
    private static final Map<String, String> COLOURS = Map.ofEntries(
            Map.entry("ACTIVE", GREEN),
            Map.entry("SUCCEEDED", GREEN),
            Map.entry("created", GREEN),
            Map.entry("RUNNING", CYAN),
            Map.entry("CLAIMED", CYAN),
            Map.entry("PENDING", CYAN),
            Map.entry("RETRYING", YELLOW),
            Map.entry("PAUSED", YELLOW),
            Map.entry("SKIPPED", YELLOW),
            Map.entry("CANCELLED", YELLOW),
            Map.entry("changed", YELLOW),
            Map.entry("MISSED", YELLOW),
            Map.entry("DROPPED", RED),
            Map.entry("FAILED", RED),
            Map.entry("TIMED_OUT", RED),
            Map.entry("ERROR", RED),
            Map.entry("refused", RED),
            Map.entry("removed", RED));

    private final boolean hasColours;
    private final List<String[]> rows = new ArrayList<>();

    public TextTable(Terminal terminal, String... titles) {
        hasColours = terminal.hasColours();
        rows.add(titles);
    }

    /** @param cells one for each title; null counts as empty */
    public void row(String... cells) {
        rows.add(Arrays.stream(cells).map(TextTable::visible).toArray(String[]::new));
    }

    /** The table with its titles; empty if it has no row. */
    public String text() {
        if (rows.size() == 1) {
            return "";
        }
        int[] widths = new int[rows.get(0).length];
        rows.forEach(row -> {
            for (int column = 0; column < widths.length; column++) {
                widths[column] = Math.max(widths[column], length(row[column]));
            }
        });
        StringBuilder text = new StringBuilder();
        rows.forEach(row -> text.append(line(row, widths)).append('\n'));
        return text.toString();
    }

    /** Drops trailing spaces. */
    private String line(String[] row, int[] widths) {
        StringBuilder line = new StringBuilder();
        int pending = 0;
        for (int column = 0; column < row.length; column++) {
            if (!row[column].isEmpty()) {
                line.append(" ".repeat(pending)).append(painted(row[column]));
                pending = 0;
            }
            pending += widths[column] - length(row[column]) + 2;
        }
        return line.toString();
    }

    private String painted(String cell) {
        String colour = hasColours ? COLOURS.get(cell) : null;
        return colour == null ? cell : "\033[" + colour + "m" + cell + "\033[0m";
    }

    private static int length(String cell) {
        return cell.codePointCount(0, cell.length());
    }

    /** Makes control characters visible, because text from others must not control the terminal. */
    private static String visible(String cell) {
        return cell == null ? "" : ControlCharacters.spaced(cell).strip();
    }
}
