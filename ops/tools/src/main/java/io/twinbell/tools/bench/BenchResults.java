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

    /** @param unit empty for a bare number */
    public record Figure(String name, double value, String unit) {}

    public void add(String name, double value, String unit) {
        figures.add(new Figure(name, value, unit));
    }

    /**
     * Adds the percentiles of a histogram.
     *
     * @param scale the number of histogram units in one reported unit
     */
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
        add("slots succeeded", check.succeeded(), "");
        check.lateness().forEach((kind, histogram) -> add("lateness " + kind, histogram, 0.001, "ms"));
        if (check.lateness().size() > 1) {
            Histogram all = new Histogram(ResultCheck.DIGITS);
            check.lateness().values().forEach(all::add);
            add("lateness of all slots", all, 0.001, "ms");
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
