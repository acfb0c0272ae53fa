package io.twinbell.lab.fault;

import io.twinbell.lab.server.ElectionOperator;
import io.twinbell.lab.stage.DrillStage;
import io.twinbell.lab.stage.DrilledPair;
import io.twinbell.tools.drill.DrillException;
import java.time.Duration;

/** Checks which nodes have an entry in the election. */
public final class ElectionCheck {
    /** Two change-master checks, and the time of the check itself. */
    private static final Duration WHOLE_WITHIN = Duration.ofMillis(6_500);

    private static final Duration SELDOM = Duration.ofMillis(100);

    private ElectionCheck() {}

    static void awaitBothNodes(DrillStage stage) throws DrillException {
        ElectionOperator election = stage.pair().election();
        stage.poll()
                .until(
                        "both nodes take part in the election",
                        SELDOM,
                        () -> election.entries().stream()
                                        .map(ElectionOperator.ElectionEntry::node)
                                        .distinct()
                                        .count()
                                == DrilledPair.NODES.size());
    }

    /**
     * Waits until both nodes have an entry, and records a failure if that took longer than two change-master checks.
     */
    public static void expectBothNodes(DrillStage stage) throws DrillException {
        awaitBothNodes(stage);
        long millis = (stage.poll().wallMicros() - stage.faultMicros()) / 1000;
        stage.print("both nodes take part in the election, " + millis + " ms after the fault");
        stage.expect(
                millis <= WHOLE_WITHIN.toMillis(), "both nodes took part in the election only after " + millis + " ms");
    }
}
