package io.twinbell.ops.drill.fault;

import io.twinbell.ops.check.LostHistory;
import io.twinbell.ops.check.Slot;
import io.twinbell.ops.drill.own.Replication;
import io.twinbell.ops.drill.stage.DrillException;
import io.twinbell.ops.drill.stage.Stage;
import io.twinbell.ops.pair.ReplicationOperator.Claimed;
import java.io.IOException;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** What the primary answered as committed and the replica had not received is gone: its slots are due again. */
final class PromoteLaggingReplica extends ReplicaFault {
    private static final Duration SHORTEST = Duration.ofSeconds(2);
    private static final Duration LONGEST = Duration.ofSeconds(6);
    /** The nodes start nothing any more on what they claimed from the dead server. */
    private static final Duration NOBODY_CALLS = Duration.ofSeconds(2);

    private LostHistory lost;

    PromoteLaggingReplica() {
        super(
                "promote-lagging-replica",
                "Cuts the asynchronous replica of PostgreSQL off for " + SHORTEST.toSeconds() + " to "
                        + LONGEST.toSeconds()
                        + " s, kills the primary with SIGKILL, and promotes the replica; tells what is repeated.",
                false);
    }

    @Override
    public Optional<LostHistory> lostHistory() {
        return Optional.ofNullable(lost);
    }

    @Override
    public void prepare(Stage stage) throws DrillException, IOException {
        lost = null;
        super.prepare(stage);
    }

    @Override
    void strike(Stage stage, Replication servers) throws DrillException, IOException {
        stage.strike("cut the replica " + servers.other() + " off", servers::detach);
        stage.watch().rest(between(stage, SHORTEST, LONGEST));
        kill(stage, servers);
        stage.watch().rest(NOBODY_CALLS);
    }

    @Override
    void heal(Stage stage, Replication servers) throws DrillException, IOException {
        servers.awaitReplay();
        Map<Slot, Integer> known = new HashMap<>();
        Set<Slot> unfinished = new HashSet<>();
        for (Claimed claim : servers.onOther().claims(stage.tasks())) {
            Slot slot = new Slot(claim.taskId(), claim.fireMillis());
            known.put(slot, claim.attempt());
            if (!claim.hasOutcome()) {
                unfinished.add(slot);
            }
        }
        stage.tell("of " + unfinished.size() + " executions the replica has no outcome");
        lost = new LostHistory(stage.watch().wallMicros(), known, unfinished);
        promote(stage, servers);
        rebuild(stage, servers);
    }
}
