package io.twinbell.lab.page;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Evaluates the shipped alert rules on the scraped values and reports which pages fired. {@code promtool} does the
 * evaluation: the scrapes become the series of a rule unit test, which queries the firing alerts at each step.
 */
public final class AlertPages {
    private static final String RULES = "prometheus-rules.yaml";
    private static final String STORY = "pages.yaml";
    private static final String FIRING = "ALERTS{alertstate=\"firing\",severity=\"page\"}";
    private static final Pattern ANSWER = Pattern.compile("time: (\\S+),\\s+exp: ?\\S*\\s+got: ?(.*)");
    private static final Pattern ALERT = Pattern.compile("alertname=\"(\\w+)\"");

    private final List<Scraper.Scrape> scrapes;
    private final Map<Integer, Set<String>> ringing;

    private AlertPages(List<Scraper.Scrape> scrapes, Map<Integer, Set<String>> ringing) {
        this.scrapes = scrapes;
        this.ringing = ringing;
    }

    /**
     * Evaluates the rules.
     *
     * @param directory where the rules, the series and promtool's answer stay as evidence
     * @return empty if this machine has no promtool
     */
    public static Optional<AlertPages> of(Scraper scraper, Path directory) throws IOException {
        List<Scraper.Scrape> scrapes = scraper.scrapes();
        try (InputStream rules = AlertPages.class.getResourceAsStream(RULES)) {
            Files.copy(rules, directory.resolve(RULES), StandardCopyOption.REPLACE_EXISTING);
        }
        Files.writeString(directory.resolve(STORY), story(scrapes));
        Optional<String> answer = promtool(directory);
        if (answer.isEmpty()) {
            return Optional.empty();
        }
        Files.writeString(directory.resolve("pages.log"), answer.get());
        return Optional.of(new AlertPages(scrapes, ringing(answer.get())));
    }

    private static Optional<String> promtool(Path directory) throws IOException {
        Process process;
        try {
            process = new ProcessBuilder("promtool", "test", "rules", STORY)
                    .directory(directory.toFile())
                    .redirectErrorStream(true)
                    .start();
        } catch (IOException notThere) {
            return Optional.empty();
        }
        process.getOutputStream().close();
        return Optional.of(new String(process.getInputStream().readAllBytes()));
    }

    /** The firing alerts by step; steps without one are missing. */
    static Map<Integer, Set<String>> ringing(String answer) {
        Map<Integer, Set<String>> ringing = new TreeMap<>();
        Matcher step = ANSWER.matcher(answer);
        while (step.find()) {
            Set<String> alerts = new TreeSet<>();
            Matcher alert = ALERT.matcher(step.group(2));
            while (alert.find()) {
                alerts.add(alert.group(1));
            }
            ringing.put((int) (seconds(step.group(1)) / Scraper.INTERVAL.toSeconds()), alerts);
        }
        return ringing;
    }

    /** Parses promtool's duration syntax: {@code 1m35s}. */
    private static long seconds(String duration) {
        Matcher part = Pattern.compile("(\\d+)([hms])").matcher(duration);
        long seconds = 0;
        while (part.find()) {
            long number = Long.parseLong(part.group(1));
            seconds +=
                    number * (part.group(2).equals("h") ? 3600 : part.group(2).equals("m") ? 60 : 1);
        }
        return seconds;
    }

    static String story(List<Scraper.Scrape> scrapes) {
        StringBuilder story = new StringBuilder();
        story.append("rule_files: [").append(RULES).append("]\nevaluation_interval: 5s\ntests:\n- interval: 5s\n");
        story.append("  input_series:\n");
        for (String node : scrapes.get(0).byNode().keySet()) {
            Set<String> names = new TreeSet<>();
            scrapes.forEach(scrape -> names.addAll(scrape.byNode().get(node).keySet()));
            List<String> up = new ArrayList<>();
            scrapes.forEach(scrape -> up.add(scrape.byNode().get(node).isEmpty() ? "0" : "1"));
            series(story, "up", node, up);
            for (String name : names) {
                List<String> values = new ArrayList<>();
                scrapes.forEach(scrape -> values.add(scrape.byNode().get(node).getOrDefault(name, "stale")));
                series(story, name, node, values);
            }
        }
        story.append("  promql_expr_test:\n");
        for (int step = 0; step < scrapes.size(); step++) {
            story.append("  - {expr: '").append(FIRING).append("', eval_time: ");
            story.append(step * Scraper.INTERVAL.toSeconds()).append("s, exp_samples: []}\n");
        }
        return story.toString();
    }

    private static void series(StringBuilder story, String name, String node, List<String> values) {
        story.append("  - series: '")
                .append(name)
                .append("{job=\"twinbell\",instance=\"")
                .append(node);
        story.append("\"}'\n    values: '").append(String.join(" ", values)).append("'\n");
    }

    /** Milliseconds from the first instant until the page fired; empty if it did not fire by the second instant. */
    public Optional<Long> rangAfter(String alert, long fromMillis, long untilMillis) {
        for (int step = 0; step < scrapes.size(); step++) {
            long at = scrapes.get(step).atMillis();
            if (at >= fromMillis && at <= untilMillis && ringingAt(step).contains(alert)) {
                return Optional.of(at - fromMillis);
            }
        }
        return Optional.empty();
    }

    /** The alerts that fire at the last scrape. */
    public Set<String> stillRinging() {
        return ringingAt(scrapes.size() - 1);
    }

    private Set<String> ringingAt(int step) {
        return ringing.getOrDefault(step, Set.of());
    }
}
