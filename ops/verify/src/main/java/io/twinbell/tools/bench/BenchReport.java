package io.twinbell.tools.bench;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** The report of one run. */
public record BenchReport(String title, Map<String, String> environment, BenchResults results) {
    private static final double ROUNDED_FROM = 100;

    /** Whether the ledger was complete. */
    public boolean passed() {
        return results.problems().isEmpty();
    }

    /** The report as lines for people. */
    public List<String> lines() {
        List<String> lines = new ArrayList<>();
        lines.add(title);
        int width = results.figures().stream()
                .mapToInt(figure -> figure.label().length())
                .max()
                .orElse(0);
        for (BenchResults.Figure figure : results.figures()) {
            lines.add(String.format(
                            Locale.ROOT,
                            ("  %-" + width + "s  %s %s"),
                            figure.label(),
                            number(figure.value()),
                            figure.unit())
                    .stripTrailing());
        }
        results.notes().forEach(note -> lines.add("  note: " + note));
        environment.forEach((name, value) -> lines.add("  " + name + ": " + value));
        results.problems().forEach(problem -> lines.add("  WRONG: " + problem));
        lines.add("  " + (passed() ? results.verdict() : "FAILED"));
        return lines;
    }

    private static String number(double value) {
        boolean isWhole = value == Math.rint(value) || Math.abs(value) >= ROUNDED_FROM;
        return String.format(Locale.ROOT, isWhole ? "%,.0f" : "%.2f", value);
    }

    /** The report as JSON for programs. */
    public ObjectNode json() {
        ObjectNode json = JsonNodeFactory.instance.objectNode();
        json.put("title", title).put("passed", passed()).put("verdict", passed() ? results.verdict() : "FAILED");
        ArrayNode list = json.putArray("figures");
        for (BenchResults.Figure figure : results.figures()) {
            list.addObject()
                    .put("name", figure.name())
                    .put("value", figure.value())
                    .put("unit", figure.unit())
                    .put("label", figure.label());
        }
        results.notes().forEach(json.putArray("notes")::add);
        results.problems().forEach(json.putArray("problems")::add);
        environment.forEach(json.putObject("environment")::put);
        return json;
    }
}
