package io.twinbell.node.pair.view;

import io.twinbell.ha.latch.Latch;
import io.twinbell.ha.role.Role;
import io.twinbell.node.api.cluster.PairState;
import io.twinbell.node.engine.Engine;
import java.util.ArrayList;
import java.util.List;

/**
 * The state of the pair while its records cannot be read: each node as it reports itself, and what this node remembers.
 * A failover is never ready then, because a promotion needs the database.
 */
final class OutageView {
    private final NodeState state;
    private final Engine engine;
    private final Latch latch;

    OutageView(NodeState state, Engine engine, Latch latch) {
        this.state = state;
        this.engine = engine;
        this.latch = latch;
    }

    /**
     * @param why what this node cannot do, as the rest of a sentence
     * @param nodes each node as it reports itself
     */
    PairState show(String why, List<PairState.Node> nodes) {
        String self = state.nodeIdentity().id();
        List<String> reasons = new ArrayList<>();
        reasons.add("node " + self + " " + why);
        state.hold().latest().ifPresent(hold -> reasons.add("automatic takeover is on hold " + hold));
        reasons.addAll(FailoverReadiness.reasons(
                FailoverReadiness.Facts.withoutDatabase(
                        latch.readElection(), state.peers().foreignEntries(), state.otherApplication()),
                self,
                nodes));
        return new PairState(
                master(nodes),
                state.epoch(),
                nodes,
                engine.openPause().orElse(null),
                engine.standingPauses(),
                state.hold().latest().orElse(null),
                new PairState.FailoverReady(
                        false,
                        reasons,
                        FailoverReadiness.notes(engine.openPause().orElse(null), engine.standingPauses()),
                        null),
                null);
    }

    /** The only node that reports to be the master; null if there is none, or more than one. */
    private static String master(List<PairState.Node> nodes) {
        List<String> masters = nodes.stream()
                .filter(node -> node.electionState() != null
                        && node.electionState().role().equals(Role.MASTER.name()))
                .map(PairState.Node::id)
                .toList();
        return masters.size() == 1 ? masters.get(0) : null;
    }
}
