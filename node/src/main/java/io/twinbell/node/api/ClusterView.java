package io.twinbell.node.api;

/** What the API shows of the pair, and the few things that it may ask of it. */
public interface ClusterView {
    /** Both nodes, each as it sees itself. May ask the other node, for a second at most. */
    Cluster cluster();

    /** This node as it sees itself, without asking anybody. */
    Cluster.Node self();

    /** Whether this node can do its part now, without asking anybody: 200 or 503 of {@code /health/ready}. */
    Readiness ready();

    /** Whether this node is the master, without asking anybody. */
    boolean isMaster();

    /** Has the master hand over to the standby and waits until that fires, or until it is clear that it will not. */
    SwitchoverResult switchover(String reason);

    /** Holds all firing of the cluster; if it is held already, for this reason and until then from now on. */
    void pause(PauseWish wish);

    /** Lets the cluster fire again; does nothing if it does. */
    void resume();

    /** Everything measured here, in Prometheus' text format 0.0.4. */
    String metricsText();
}
