package io.twinbell.lab;

import io.twinbell.lab.fault.Fault;
import io.twinbell.tools.check.Rule;
import io.twinbell.tools.check.Violation;
import io.twinbell.tools.check.history.EpochOpening;
import java.util.List;
import java.util.function.Consumer;

/** Checks that the master changed as often as the fault allows. */
final class RoleChangeCheck {
    private RoleChangeCheck() {}

    /** @param openings the epoch before the fault, and all epochs opened since */
    static void check(Fault.Epochs owed, List<EpochOpening> openings, Consumer<Violation> offences) {
        List<EpochOpening> opened = openings.subList(1, openings.size());
        if (owed.most() == 0 && !opened.isEmpty()) {
            offences.accept(new Violation(Rule.MASTER_CHANGED, null, "new epochs: " + opened));
        } else if (opened.size() < owed.least() || opened.size() > owed.most()) {
            offences.accept(new Violation(
                    Rule.NOT_ONE_SUCCESSOR,
                    null,
                    opened.size() + " epochs were opened, but the fault explains " + words(owed) + ": " + opened));
        }
    }

    private static String words(Fault.Epochs owed) {
        return owed.least() == owed.most() ? Integer.toString(owed.least()) : owed.least() + " to " + owed.most();
    }
}
