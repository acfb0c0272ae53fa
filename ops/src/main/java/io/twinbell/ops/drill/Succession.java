package io.twinbell.ops.drill;

import io.twinbell.ops.check.Offence;
import io.twinbell.ops.check.Opening;
import io.twinbell.ops.check.Rule;
import io.twinbell.ops.drill.fault.Fault;
import java.util.List;
import java.util.function.Consumer;

/** Whether the master changed as often as the fault gave reason to. */
final class Succession {
    private Succession() {}

    /** @param openings the epoch before the fault, and all that were opened since */
    static void check(Fault.Aftermath aftermath, List<Opening> openings, Consumer<Offence> offences) {
        int changes = openings.size() - 1;
        if (aftermath == Fault.Aftermath.SAME_MASTER && changes > 0) {
            offences.accept(new Offence(Rule.MASTER_CHANGED, null, "new epochs: " + openings.subList(1, changes + 1)));
        }
        if (aftermath == Fault.Aftermath.SUCCESSOR && changes != 1) {
            offences.accept(new Offence(Rule.NOT_ONE_SUCCESSOR, null, changes + " epochs were opened"));
        }
    }
}
