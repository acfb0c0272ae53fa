package io.twinbell.tools.bench;

import java.util.ArrayList;
import java.util.List;
import org.HdrHistogram.Histogram;

/** The figures, notes and problems of a run, in the order of the report. */
public final class BenchResults {
    private final List<Figure> figures = new ArrayList<>();
    private final List<String> problems = new ArrayList<>();
    private final List<String> notes = new ArrayList<>();
    private String verdict = "passed";

    /**
     * One figure of the report.
     *
     * @param name the stable name for programs
     * @param label the text for people
     * @param unit empty for a bare number
     */
    public record Figure(String name, String label, double value, String unit) {}

    public void add(String name, String label, double value, String unit) {
        figures.add(new Figure(name, label, value, unit));
    }

    /** Returns a text of several words as a name in camel case: {@code first fire} becomes {@code firstFire}. */
    static String identifier(String words) {
        String[] parts = words.split("[^A-Za-z0-9]+");
        StringBuilder name = new StringBuilder(parts[0]);
        for (int i = 1; i < parts.length; i++) {
            name.append(Character.toUpperCase(parts[i].charAt(0))).append(parts[i].substring(1));
        }
        return name.toString();
    }

    /**
     * Adds the percentiles of a histogram.
     *
     * @param scale the number of histogram units in one reported unit
     */
    public void add(String name, String label, Histogram histogram, double scale, String unit) {
        if (histogram.getTotalCount() == 0) {
            return;
        }
        for (double percentile : new double[] {50, 90, 99, 99.9}) {
            String rank = percentile == Math.rint(percentile) ? "" + (int) percentile : "" + percentile;
            double value = histogram.getValueAtPercentile(percentile) * scale;
            add(name + "P" + rank.replace(".", ""), label + " p" + rank, value, unit);
        }
        add(name + "Max", label + " max", histogram.getMaxValue() * scale, unit);
    }

    /** Adds a note without which the figures could be misread. */
    public void note(String text) {
        if (!notes.contains(text)) {
            notes.add(text);
        }
    }

    /** Adds a problem, which makes the run fail. */
    public void problem(String text) {
        problems.add(text);
    }

    /** States what was checked; printed if there is no problem. */
    public void verdict(String text) {
        verdict = text;
    }

    public String verdict() {
        return verdict;
    }

    /** Adds the problems and the lateness that a check found. */
    public void add(ResultCheck check) {
        add("slotsSucceeded", "slots succeeded", check.succeeded(), "");
        check.lateness()
                .forEach((kind, histogram) ->
                        add(identifier("lateness " + kind), "lateness " + kind, histogram, 0.001, "ms"));
        if (check.lateness().size() > 1) {
            Histogram all = new Histogram(ResultCheck.DIGITS);
            check.lateness().values().forEach(all::add);
            add("latenessAll", "lateness of all slots", all, 0.001, "ms");
        }
        check.problems().forEach(this::problem);
        verdict("the ledger is complete: each slot is recorded once and SUCCEEDED");
    }

    public List<Figure> figures() {
        return List.copyOf(figures);
    }

    public List<String> problems() {
        return List.copyOf(problems);
    }

    public List<String> notes() {
        return List.copyOf(notes);
    }
}
