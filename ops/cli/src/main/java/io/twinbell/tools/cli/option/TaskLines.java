package io.twinbell.tools.cli.option;

import com.fasterxml.jackson.databind.JsonNode;
import io.twinbell.node.json.ControlCharacters;
import io.twinbell.tools.terminal.Terminal;
import io.twinbell.tools.terminal.TextTable;
import java.util.List;
import java.util.Locale;

/** Renders tasks as single lines for people. */
public final class TaskLines {
    private static final int LONGEST = 60;

    private TaskLines() {}

    public static TextTable tasks() {
        return new TextTable(
                Terminal.current(), "ID", "TASK", "STATE", "SCHEDULE", "HANDLER", "NEXT FIRE TIME", "PREVIOUS");
    }

    public static void add(TextTable table, JsonNode task) {
        table.row(
                task.path("id").asText(),
                name(task),
                task.path("state").asText(),
                schedule(task.path("schedule")),
                handler(task.path("handler")),
                instant(task, "nextFireTime"),
                instant(task, "previousFireTime"));
    }

    /** The result of a change of a task, in one line. */
    public static String line(JsonNode task) {
        return String.format(
                Locale.ROOT,
                "%s %s %s, %s%s",
                task.path("id").asText(),
                name(task),
                task.path("state").asText(),
                next(task),
                pause(task));
    }

    private static String next(JsonNode task) {
        if (!task.hasNonNull("nextFireTime")) {
            return "no next fire time";
        }
        boolean stands = task.path("state").asText().equals("PAUSED");
        return (stands ? "stopped before " : "next ") + instant(task, "nextFireTime");
    }

    private static String pause(JsonNode task) {
        if (!task.hasNonNull("stateReason")) {
            return "";
        }
        return ControlCharacters.spaced(" (" + task.path("stateReason").asText()
                + (task.hasNonNull("pausedBy") ? ", by " + task.path("pausedBy").asText() : "")
                + (task.hasNonNull("pausedUntil") ? ", until " + instant(task, "pausedUntil") : "") + ")");
    }

    /** Says why no node can read the task; null for a task that nodes can read. */
    public static String unreadable(JsonNode task) {
        return task.hasNonNull("definitionError")
                ? name(task) + " can't be read: "
                        + ControlCharacters.spaced(task.path("definitionError").asText())
                : null;
    }

    public static String name(JsonNode thing) {
        return ControlCharacters.spaced(
                thing.path("app").asText() + "/" + thing.path("name").asText());
    }

    public static String schedule(JsonNode schedule) {
        for (String kind : new String[] {"cron", "rrule", "every", "at", "in", "type"}) {
            if (schedule.has(kind)) {
                boolean isDelay = schedule.path("mode").asText().equals("FIXED_DELAY");
                String zone = schedule.hasNonNull("zone")
                        ? " " + schedule.path("zone").asText()
                        : "";
                String aligned = schedule.hasNonNull("align")
                        ? ", aligned to " + schedule.path("align").asText()
                        : "";
                String value = schedule.path(kind).asText();
                return cut(
                        List.of("cron", "rrule", "type").contains(kind)
                                ? value + zone
                                : kind + " " + value + (isDelay ? " after each run" : "") + aligned);
            }
        }
        return "";
    }

    public static String handler(JsonNode handler) {
        String type = handler.path("type").asText();
        String what = switch (type) {
            case "http" ->
                handler.path("method").asText("") + " " + handler.path("url").asText();
            case "java" -> handler.path("key").asText();
            case "shell" -> words(handler.path("command"));
            case "sql" ->
                handler.path("statement").isTextual()
                        ? handler.path("statement").asText()
                        : handler.path("statement").path(0).asText() + " …";
            default -> handler.path("message").asText("");
        };
        return cut((type + " " + what.strip()).strip());
    }

    private static String words(JsonNode list) {
        StringBuilder words = new StringBuilder();
        list.forEach(word -> words.append(words.isEmpty() ? "" : " ").append(word.asText()));
        return words.toString();
    }

    /** Omits milliseconds if they are zero. */
    public static String instant(JsonNode thing, String member) {
        return thing.hasNonNull(member) ? thing.path(member).asText().replaceFirst("\\.000Z$", "Z") : "";
    }

    /** Cuts the text to one short line. */
    public static String cut(String written) {
        return cut(written, LONGEST);
    }

    /** Cuts the text to one line of at most this many characters, without characters that control a terminal. */
    public static String cut(String written, int longest) {
        // Spaces that are dropped, or a half of a character, do not matter beyond this.
        String first = written.substring(0, Math.min(written.length(), 8 * longest));
        String text = ControlCharacters.spaced(first).replaceAll("\\s+", " ").strip();
        if (text.length() <= longest) {
            return text;
        }
        int end = Character.isHighSurrogate(text.charAt(longest - 2)) ? longest - 2 : longest - 1;
        return text.substring(0, end) + "…";
    }
}
