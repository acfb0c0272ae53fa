package io.twinbell.ops.check;

import java.util.ArrayList;
import java.util.List;

/** Holds a history against every rule. */
public final class Checker {
    private Checker() {}

    /** Everything that is wrong, ordered by rule and fire time; empty if all rules hold. */
    public static List<Offence> check(History history) {
        List<Offence> found = new ArrayList<>();
        Coverage.check(history, found::add);
        Chains.check(history, found::add);
        CatchingUp.check(history, found::add);
        Attempts.check(history, found::add);
        Calls.check(history, found::add);
        Epochs.check(history, found::add);
        return found.stream().sorted().toList();
    }
}
