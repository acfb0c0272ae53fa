package io.twinbell.lab.fault.database;

import io.twinbell.lab.fault.FaultComponent;
import io.twinbell.lab.fault.OwnFault;
import io.twinbell.lab.own.OwnPair;
import io.twinbell.lab.stage.DrillStage;
import io.twinbell.lab.stage.DrilledPair;
import io.twinbell.tools.client.NodeClient;
import io.twinbell.tools.client.NodeException;
import io.twinbell.tools.drill.DrillException;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;

/** Fault: the database answers but refuses writes, as after an administrator's setting or a disk guard. */
public final class ReadOnlyDatabase extends OwnFault {
    private static final Duration READ_ONLY = Duration.ofSeconds(15);
    /** The master retries its claims ten times a second, each time over a new connection. */
    private static final Duration FIRES_AGAIN_WITHIN = Duration.ofSeconds(3);

    private static final Duration POLL_INTERVAL = Duration.ofMillis(50);
    private static final Duration ANSWER = Duration.ofSeconds(5);

    public ReadOnlyDatabase() {
        super(
                "read-only-database",
                "Makes PostgreSQL refuse every write for " + READ_ONLY.toSeconds()
                        + " s (default_transaction_read_only).",
                RoleEffect.SAME_MASTER);
    }

    @Override
    public Duration lasts() {
        return READ_ONLY;
    }

    @Override
    public Optional<Duration> quietAtMost() {
        return Optional.of(READ_ONLY.plus(FIRES_AGAIN_WITHIN));
    }

    @Override
    public Set<FaultComponent> parts() {
        return Set.of(FaultComponent.DATABASE);
    }

    @Override
    public void strike(DrillStage stage, OwnPair pair) throws DrillException, IOException {
        stage.undo().add("make PostgreSQL writable", () -> pair.database().refuseWrites(false));
        stage.strike("made PostgreSQL read-only", () -> refuseWrites(stage, pair, true));
        for (String node : DrilledPair.NODES) {
            expectUnavailable(stage, node);
        }
    }

    @Override
    public void heal(DrillStage stage, OwnPair pair) throws DrillException, IOException {
        stage.heal("made PostgreSQL writable", () -> refuseWrites(stage, pair, false));
    }

    private static void refuseWrites(DrillStage stage, OwnPair pair, boolean wanted)
            throws DrillException, IOException {
        pair.database().refuseWrites(wanted);
        stage.poll()
                .until(
                        "PostgreSQL is " + (wanted ? "read-only" : "writable"),
                        POLL_INTERVAL,
                        () -> pair.database().refusesWrites() == wanted);
    }

    /** A request that writes must get the answer "come again", not an error of the node. */
    private static void expectUnavailable(DrillStage stage, String node) {
        NodeClient client = stage.pair().client(node, ANSWER);
        try {
            client.delete("/api/v1/alerts/of-a-drill-on-a-read-only-database");
            stage.expect(false, "node " + node + " completed a write that the database had to refuse");
        } catch (NodeException.Unavailable asItShould) {
            stage.print("node " + node + " responds to writes with 503");
        } catch (NodeException e) {
            stage.expect(false, "node " + node + " did not respond to a write with 503: " + e.getMessage());
        }
    }
}
