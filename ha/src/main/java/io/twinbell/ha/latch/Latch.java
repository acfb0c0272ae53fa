package io.twinbell.ha.latch;

/** The election for master. Holding the latch gives no right to write, only the right to open an epoch. */
public interface Latch {
    /**
     * Reads the election from ZooKeeper now. If ZooKeeper is not connected or does not answer promptly, it counts as
     * unreachable.
     */
    Election readElection();

    /**
     * Removes the latch nodes that earlier processes of this node have left. Their sessions take seconds to time out,
     * and until then nobody behind them gets the latch. Does nothing if ZooKeeper does not answer promptly.
     */
    void removePredecessors();

    /** Enters the election at the end of the line. Does nothing if this node is in the election already. */
    void enter();

    /** Leaves the election. */
    void leave();
}
