package io.twinbell.ha.latch;

/** A place in the election for master. Holding it gives no right to write, only the right to open an epoch. */
public interface Latch {
    /** Looks afresh; asks ZooKeeper while it is connected, and takes it for unreachable if it does not answer at once. */
    Election look();

    /** Stands in the election, at the end of the line. Does nothing if this node stands already. */
    void enter();

    /** Gives the place up. */
    void leave();
}
