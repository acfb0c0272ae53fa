package io.twinbell.daemon.doctor;

import java.util.ArrayList;
import java.util.List;

/** Collects findings in the order in which they were made. */
public final class Findings {
    private final List<Finding> all = new ArrayList<>();

    /**
     * The result of one check.
     *
     * @param check what was checked, in a few words
     * @param said what was found
     * @param advice what to do; null if nothing
     */
    public record Finding(String check, Level level, String said, String advice) {}

    /** The severity of a finding. */
    public enum Level {
        OK,
        /** A node can run, but something is missing. */
        WARN,
        /** A node cannot run, or the pair does not keep its guarantees. */
        FAIL
    }

    void ok(String check, String said) {
        all.add(new Finding(check, Level.OK, said, null));
    }

    void warn(String check, String said, String advice) {
        all.add(new Finding(check, Level.WARN, said, advice));
    }

    void fail(String check, String said, String advice) {
        all.add(new Finding(check, Level.FAIL, said, advice));
    }

    public List<Finding> all() {
        return List.copyOf(all);
    }

    /** The most severe level among them. */
    public Level worst() {
        return all.stream().map(Finding::level).max(Level::compareTo).orElse(Level.OK);
    }
}
