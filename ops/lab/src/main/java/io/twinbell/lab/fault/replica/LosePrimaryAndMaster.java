package io.twinbell.lab.fault.replica;

import com.fasterxml.jackson.databind.JsonNode;
import io.twinbell.lab.own.Replication;
import io.twinbell.lab.stage.DrillStage;
import io.twinbell.tools.check.history.History;
import io.twinbell.tools.client.NodeClient;
import io.twinbell.tools.client.NodeException;
import io.twinbell.tools.drill.DrillException;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;

/**
 * Fault: the primary and the master die together, and commits that the replica had not received are lost. The successor
 * must name the slots that may have run, and no others.
 */
public final class LosePrimaryAndMaster extends ReplicaFault {
    private static final Duration SHORTEST = Duration.ofSeconds(2);
    private static final Duration LONGEST = Duration.ofSeconds(6);
    private static final Duration NOBODY_CALLS = Duration.ofSeconds(2);
    /**
     * The greatest delay of a claim: a slot that was due before the replica was cut off may be claimed this much later.
     */
    private static final Duration CLAIMED_LATE = Duration.ofSeconds(2);
    /**
     * The successor does not know when the master died. The master may have gone on for this time after its last
     * heartbeat.
     */
    private static final Duration IN_DOUBT_AFTERWARDS = Duration.ofSeconds(4);

    private static final Duration POLL_INTERVAL = Duration.ofMillis(200);
    private static final Duration ANSWER = Duration.ofSeconds(5);

    private long cutMillis;
    private long lostMillis;

    public LosePrimaryAndMaster() {
        super(
                "lose-primary-and-master",
                "Disconnects the asynchronous replica of PostgreSQL for " + SHORTEST.toSeconds() + " to "
                        + LONGEST.toSeconds()
                        + " s, kills the primary and the master with SIGKILL, and promotes the replica; the"
                        + " successor reports the slots that may have run.",
                false,
                RoleEffect.SUCCESSOR);
    }

    @Override
    public Optional<History.LossWindow> loss() {
        return Optional.of(new History.LossWindow(
                cutMillis - CLAIMED_LATE.toMillis(), lostMillis + IN_DOUBT_AFTERWARDS.toMillis()));
    }

    @Override
    void strike(DrillStage stage, Replication servers) throws DrillException, IOException {
        cutMillis = stage.poll().wallMicros() / 1000;
        stage.strike("disconnected the replica " + servers.other(), servers::detach);
        stage.poll().sleep(between(stage, SHORTEST, LONGEST));
        stage.strike("killed the primary " + servers.primary(), servers.primary()::killAtOnce);
        stage.kill(stage.roles().master());
        lostMillis = stage.poll().wallMicros() / 1000;
        servers.primary().awaitKilled();
        stage.poll().sleep(NOBODY_CALLS);
        servers.awaitReplay();
        stage.print("the replica lacks the outcome of " + servers.onOther().unfinished(stage.tasks()) + " executions");
        promote(stage, servers);
    }

    @Override
    void heal(DrillStage stage, Replication servers) throws DrillException, IOException {
        stage.start(stage.roles().master());
        rebuild(stage, servers);
    }

    /** Checks that the role history names slots in doubt, and that the node's own view counts at least as many. */
    @Override
    public void expect(DrillStage stage) throws DrillException, NodeException, IOException {
        NodeClient successor = stage.pair().client(stage.roles().standby(), ANSWER);
        long inHistory = namedSince(stage.roles().epoch(), successor);
        stage.print("the role history names " + inHistory + " slots in doubt");
        stage.expect(inHistory > 0, "the role history names no slot in doubt");
        stage.poll()
                .until(
                        "the node's own view has as many slots in doubt as the role history",
                        POLL_INTERVAL,
                        () -> successor
                                        .get("/api/v1/cluster/self")
                                        .path("slotsInDoubt")
                                        .asLong()
                                >= inHistory);
    }

    private static long namedSince(long epoch, NodeClient node) throws NodeException {
        long slots = 0;
        for (JsonNode change : node.get("/api/v1/cluster").path("history")) {
            boolean isLater = change.path("epoch").asLong() > epoch;
            slots += isLater ? change.path("inDoubt").path("slots").asLong() : 0;
        }
        return slots;
    }
}
