package io.twinbell.node.simulation;

import java.util.HashSet;
import java.util.Set;

/**
 * The database's replica: what it has received, its promotion, and the former primary that returns and accepts writes.
 */
final class SimulatedReplica {
    private final SimulatedDatabase database;
    private final Tables tables;
    private final Set<String> ledToFormer = new HashSet<>();
    private Tables received;
    private Tables former;
    private boolean isAwaited;
    private boolean hasBarriers = true;
    private int timeline = 1;
    private int mark = 1;

    SimulatedReplica(SimulatedDatabase database) {
        this.database = database;
        tables = database.tables;
    }

    /** The synchronous replica hangs: commits from now on stay on the primary and are not answered. */
    void hang() {
        received = tables.snapshot();
        isAwaited = true;
    }

    /** An asynchronous replica receives nothing from now on. */
    void lag() {
        received = tables.snapshot();
    }

    /** The replica receives everything again. */
    void follow() {
        received = null;
        isAwaited = false;
    }

    /** Whether commits wait for a replica that does not answer. */
    boolean isAwaited() {
        return isAwaited;
    }

    /** Whether a claim without an answer is read back only after another commit was answered. */
    boolean hasBarriers() {
        return hasBarriers;
    }

    void leaveOutBarriers() {
        hasBarriers = false;
    }

    /** Whether the replica lacks the opening or the end of an epoch. */
    boolean lacksAnEpoch() {
        return received != null
                && (received.epoch.number != tables.epoch.number || received.epoch.resigned != tables.epoch.resigned);
    }

    /** Promotes the replica. What it has not received is lost. */
    void promote() {
        former = tables.snapshot();
        if (received != null) {
            tables.become(received);
        }
        follow();
        timeline++;
        ledToFormer.clear();
        database.endAll();
    }

    /** From now on the node reaches only the former primary. Returns false unless a node has used its successor. */
    boolean leadToFormer(String node) {
        boolean isKnown = former != null && mark == timeline;
        if (isKnown) {
            ledToFormer.add(node);
        }
        return isKnown;
    }

    void lead(String node) {
        ledToFormer.remove(node);
    }

    boolean isLedToFormer(String node) {
        return ledToFormer.contains(node);
    }

    /** The timeline of the server that the node reaches. */
    int timelineFor(String node) {
        return isLedToFormer(node) ? timeline - 1 : timeline;
    }

    /** The newest timeline that a node has used, as ZooKeeper knows it. */
    int mark() {
        return mark;
    }

    void used(int someTimeline) {
        mark = Math.max(mark, someTimeline);
    }

    /** Executes a statement on the server of that timeline. */
    void with(int someTimeline, Runnable statement) {
        if (someTimeline == timeline) {
            statement.run();
            return;
        }
        Tables newest = tables.snapshot();
        tables.become(former);
        try {
            statement.run();
        } finally {
            former = tables.snapshot();
            tables.become(newest);
        }
    }
}
