package io.twinbell.node.api;

/** What the API shows of the pair, and the few things that it may ask of it. */
public interface ClusterView {
    /** Both nodes, each as it sees itself. May ask the other node, for a second at most. */
    Cluster cluster();

    /** This node as it sees itself, without asking anybody. */
    Cluster.Node self();

    /** Whether this node can do its part now, without asking anybody: 200 or 503 of {@code /health/ready}. */
    Readiness ready();

    /** Whether this node is the master and fires, without asking anybody: 200 or 503 of {@code /health/master}. */
    Readiness master();

    /** Has the master hand over to a standby and waits until that fires, or until it is clear that it will not. */
    SwitchoverResult switchover(RoleMoveBody wish);

    /**
     * Ends the ZooKeeper session by which the master has the latch, so that a standby is promoted; waits for that. A master
     * that lives is only taken the role if it is forced.
     */
    SwitchoverResult failover(RoleMoveBody wish);

    /** Keeps the role on the node that has it, until somebody moves it; if it is so already, for this reason and until then. */
    void hold(PauseBody wish);

    /** Lets automatic takeover happen again; does nothing if it may. */
    void release();

    /** Holds all firing of the cluster; if it is held already, for this reason and until then from now on. */
    void pause(PauseBody wish);

    /** Lets the cluster fire again; does nothing if it does. */
    void resume();

    /** Everything measured here, in Prometheus' text format 0.0.4. */
    String metricsText();
}
