package io.twinbell.node.simulation;

/** Stands for {@code ServerHistory}: which servers a process may use, and how many promotions it has followed. */
class SimulatedHistory {
    private final SimulatedReplica servers;
    private int known;
    private int generation;

    SimulatedHistory(SimulatedReplica servers) {
        this.servers = servers;
    }

    /** Whether the process may use a server. */
    boolean admits(int timeline) {
        return timeline >= Math.max(known, servers.mark());
    }

    final void used(int timeline) {
        servers.used(timeline);
        if (known != 0 && timeline != known) {
            generation++;
        }
        known = timeline;
    }

    final int generation() {
        return generation;
    }
}
