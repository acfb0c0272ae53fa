package io.twinbell.node.api.cluster;

import io.twinbell.node.api.exchange.PauseBody;
import io.twinbell.node.settings.EffectiveSetting;
import java.util.List;

/** The pair as the API sees it: its state, its health, and the requests that change it. */
public interface ClusterView {
    /**
     * Returns the state of the pair, each node as it reports itself. May ask the other node, for one second at most.
     */
    PairState pairState();

    /** Returns this node's own state, without asking another process. */
    PairState.Node self();

    /** The URLs at which the nodes that are up answer, without asking another process. */
    List<String> addresses();

    /** Whether this node can do its part now, without asking another process: 200 or 503 of {@code /health/ready}. */
    Readiness ready();

    /**
     * Whether this node is the master and fires, without asking another process: 200 or 503 of {@code /health/master}.
     */
    Readiness master();

    /** Makes the master hand over to the standby, and waits until the standby fires or the switchover has failed. */
    SwitchoverResult switchover(RoleMoveBody wish);

    /**
     * Ends the ZooKeeper session that holds the latch, so that the standby is promoted, and waits for the promotion. A
     * live master loses the role only if the request forces it.
     */
    SwitchoverResult failover(RoleMoveBody wish);

    /**
     * Puts automatic takeover on hold: the role stays on the current master until it is moved by hand. An existing
     * hold gets this reason and this end.
     */
    void hold(PauseBody wish);

    /** Ends the hold on automatic takeover; does nothing if there is none. */
    void release();

    /** Pauses all firing of the cluster. An existing pause gets this reason and this end. */
    void pause(PauseBody wish);

    /** Resumes firing; does nothing if firing is not paused. */
    void resume();

    /** Returns the settings that this node was started with, with secrets masked; empty if it is embedded. */
    List<EffectiveSetting> settings();

    /** Returns all metrics of this node in the Prometheus text format 0.0.4. */
    String metricsText();

    /**
     * The result of a readiness check of a node.
     *
     * @param role the node's role
     * @param reasons what is missing; also of a ready node, that another application is in its pair
     */
    record Readiness(boolean ok, String role, List<String> reasons) {}

    /** The result of a switchover, or of a failover by hand. */
    sealed interface SwitchoverResult {
        /** @param tookMillis from the request until the new master opened its epoch */
        record Done(String from, String to, long epoch, long tookMillis) implements SwitchoverResult {}

        /** Nothing was changed, because no node would have fired afterwards. */
        record Refused(String reason) implements SwitchoverResult {}

        /** The switchover has begun, and its outcome is not known yet. */
        record TimedOut(String reason) implements SwitchoverResult {}
    }
}
