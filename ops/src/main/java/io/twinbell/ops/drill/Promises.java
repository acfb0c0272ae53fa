package io.twinbell.ops.drill;

import io.twinbell.ops.check.Call;
import io.twinbell.ops.check.Offence;
import io.twinbell.ops.check.Rule;
import io.twinbell.ops.drill.fault.Fault;
import io.twinbell.ops.drill.stage.Stage;
import java.util.List;
import java.util.OptionalLong;
import java.util.function.Consumer;

/** Whether the pair did what the fault expects of it besides its slots and roles. */
final class Promises {
    private Promises() {}

    static void check(Fault fault, Stage stage, List<Call> calls, Consumer<Offence> offences) {
        stage.broken().forEach(broken -> offences.accept(new Offence(Rule.PROMISE_BROKEN, null, broken)));
        OptionalLong silence = Silence.longest(stage.faultMicros(), calls);
        fault.quietAtMost()
                .filter(bound -> silence.orElse(Long.MAX_VALUE) > bound.toMillis())
                .ifPresent(bound -> offences.accept(new Offence(
                        Rule.PROMISE_BROKEN,
                        null,
                        (silence.isPresent() ? "it was quiet for " + silence.getAsLong() + " ms" : "nothing was called")
                                + ", and " + bound.toMillis() + " ms are promised")));
    }
}
