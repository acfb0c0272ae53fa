package io.twinbell.daemon.doctor;

import io.twinbell.daemon.doctor.Finding.Level;
import java.util.ArrayList;
import java.util.List;

/** Collects findings in the order in which they were made. */
public final class Findings {
    private final List<Finding> all = new ArrayList<>();

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
