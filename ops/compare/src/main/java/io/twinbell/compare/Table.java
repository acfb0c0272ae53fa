package io.twinbell.compare;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/** Collects results by workload and contender, and shows the medians with the minimum and maximum of all rounds. */
final class Table {
    private static final Map<String, String> NAMES = Map.of(
            "twinbell", "Twinbell",
            "dbs-lock", "db-scheduler, lock-and-fetch",
            "dbs-fetch", "db-scheduler, fetch",
            "quartz", "Quartz",
            "jobrunr", "JobRunr",
            "limit", "one connection, no scheduler");

    private final Map<String, Map<String, List<JsonNode>>> results = new LinkedHashMap<>();
    private final Map<String, String> kinds = new LinkedHashMap<>();

    void add(String title, String contender, String kind, JsonNode result) {
        kinds.put(title, kind);
        results.computeIfAbsent(title, unused -> new LinkedHashMap<>())
                .computeIfAbsent(contender, unused -> new ArrayList<>())
                .add(result);
    }

    /** The largest number of results in a cell. */
    int rounds() {
        return results.values().stream()
                .flatMap(row -> row.values().stream())
                .mapToInt(List::size)
                .max()
                .orElse(0);
    }

    /** The table in Markdown: a row for each contender and a column for each workload. */
    String markdown() {
        Set<String> contenders = new LinkedHashSet<>();
        results.values().forEach(row -> contenders.addAll(row.keySet()));
        StringBuilder text = new StringBuilder("| |");
        results.keySet().forEach(title -> text.append(' ').append(title).append(" |"));
        text.append("\n|---|").append("---|".repeat(results.size())).append('\n');
        for (String contender : contenders) {
            text.append("| ").append(NAMES.getOrDefault(contender, contender)).append(" |");
            results.forEach((title, row) -> text.append(' ')
                    .append(row.containsKey(contender) ? cell(kinds.get(title), row.get(contender)) : "")
                    .append(" |"));
            text.append('\n');
        }
        return text.toString();
    }

    private static String cell(String kind, List<JsonNode> rounds) {
        String unsupported = rounds.stream()
                .filter(round -> round.has("unsupported"))
                .map(round -> round.path("unsupported").asText())
                .distinct()
                .collect(Collectors.joining("; "));
        List<JsonNode> done =
                rounds.stream().filter(round -> !round.has("unsupported")).toList();
        if (done.isEmpty()) {
            return unsupported;
        }
        String figures = switch (kind) {
            case "lateness", "recurring" ->
                median(done, "latenessP50Millis") + " / " + median(done, "latenessP99Millis") + " / "
                        + median(done, "latenessMaxMillis") + missing(done, kind);
            case "log" -> median(done, "logBytesPerTask") + spread(done, "logBytesPerTask");
            case "start" -> median(done, "startToFirstRunMillis") + spread(done, "startToFirstRunMillis");
            default -> median(done, "perSecond") + spread(done, "perSecond");
        };
        return unsupported.isEmpty() ? figures : figures + " (" + unsupported + ")";
    }

    private static String missing(List<JsonNode> rounds, String kind) {
        StringBuilder text = new StringBuilder();
        for (String count : List.of("missing", "early", "repeated")) {
            long most = rounds.stream()
                    .mapToLong(round -> round.path(count).asLong())
                    .max()
                    .orElse(0);
            // Runs after the planned end are no repetitions.
            if (most > 0 && !(kind.equals("recurring") && count.equals("repeated"))) {
                text.append(", ").append(most).append(' ').append(count);
            }
        }
        return text.toString();
    }

    private static String median(List<JsonNode> rounds, String member) {
        double[] sorted = sorted(rounds, member);
        int middle = sorted.length / 2;
        return number(sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2);
    }

    private static String spread(List<JsonNode> rounds, String member) {
        double[] sorted = sorted(rounds, member);
        return sorted.length == 1 ? "" : " (" + number(sorted[0]) + "–" + number(sorted[sorted.length - 1]) + ")";
    }

    private static double[] sorted(List<JsonNode> rounds, String member) {
        return rounds.stream()
                .mapToDouble(round -> round.path(member).asDouble())
                .sorted()
                .toArray();
    }

    /** Two significant digits, because a shared machine allows no more precision. */
    private static String number(double value) {
        if (value >= 100) {
            return String.format(Locale.ROOT, "%,.0f", value);
        }
        return String.format(Locale.ROOT, value >= 10 ? "%.0f" : value >= 1 ? "%.1f" : "%.2f", value);
    }
}
