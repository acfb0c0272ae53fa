package io.twinbell.tools.bench;

import java.util.ArrayList;
import java.util.List;
import org.HdrHistogram.Histogram;

/** What a run found out, in the order in which it is told, and what was wrong with it. */
public final class BenchResults {
    private final List<Figure> figures = new ArrayList<>();
    private final List<String> problems = new ArrayList<>();
    private final List<String> notes = new ArrayList<>();
    private String verdict = "passed";

    /** @param unit empty for a bare number */
    public record Figure(String name, double value, String unit) {}

    public void add(String name, double value, String unit) {
        figures.add(new Figure(name, value, unit));
    }

    /** The percentiles of a distribution whose values are so many of the unit each. */
    public void add(String name, Histogram histogram, double scale, String unit) {
        if (histogram.getTotalCount() == 0) {
            return;
        }
        for (double percentile : new double[] {50, 90, 99, 99.9}) {
            String label = percentile == Math.rint(percentile) ? "" + (int) percentile : "" + percentile;
            add(name + " p" + label, histogram.getValueAtPercentile(percentile) * scale, unit);
        }
        add(name + " max", histogram.getMaxValue() * scale, unit);
    }

    /** Something without which the figures would be misread. */
    public void note(String text) {
        if (!notes.contains(text)) {
            notes.add(text);
        }
    }

    /** Something that makes the run fail. */
    public void problem(String text) {
        problems.add(text);
    }

    /** What was held against what, said where nothing was wrong. */
    public void verdict(String text) {
        verdict = text;
    }

    public String verdict() {
        return verdict;
    }

    /** Takes in what a tally found wrong, and how late the slots were. */
    public void add(ResultCheck check) {
        add("slots succeeded", check.succeeded(), "");
        check.lateness().forEach((kind, histogram) -> add("lateness " + kind, histogram, 0.001, "ms"));
        if (check.lateness().size() > 1) {
            Histogram all = new Histogram(ResultCheck.DIGITS);
            check.lateness().values().forEach(all::add);
            add("lateness of all", all, 0.001, "ms");
        }
        check.problems().forEach(this::problem);
        verdict("the ledger is complete: each slot is there once, succeeded");
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
