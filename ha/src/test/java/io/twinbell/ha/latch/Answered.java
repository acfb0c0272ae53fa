package io.twinbell.ha.latch;

import static org.awaitility.Awaitility.await;

/** On a busy machine ZooKeeper may answer later than a node waits, and the node then reads that it is out of reach. */
final class Answered {
    private Answered() {}

    /** The election, as soon as ZooKeeper answers in time. */
    static Election election(CuratorLatch latch) {
        return await().until(latch::readElection, Election::connected);
    }
}
