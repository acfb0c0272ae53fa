package io.twinbell.lab.own;

import io.twinbell.lab.server.ReplicaFiles;
import io.twinbell.lab.server.ReplicationOperator;
import io.twinbell.tools.drill.ConditionPoll;
import io.twinbell.tools.drill.DrillException;
import io.twinbell.tools.drill.ProcessSignals;
import java.io.IOException;
import java.time.Duration;

/**
 * A primary and its streaming replica. A promotion makes the replica the primary; the former primary becomes the other
 * server.
 */
public final class Replication {
    private static final Duration POLL_INTERVAL = Duration.ofMillis(20);

    private final ConditionPoll poll;
    private OwnDatabase primary;
    private OwnDatabase other;

    /** @param other must not run yet */
    Replication(OwnDatabase primary, OwnDatabase other, ConditionPoll poll) {
        this.primary = primary;
        this.other = other;
        this.poll = poll;
    }

    /** Starts replication; returns when the replica follows. */
    void begin() throws IOException, DrillException {
        operator(primary).keepLog();
        rebuild();
    }

    /** The server that accepts writes, or the dead one that has no successor yet. */
    public OwnDatabase primary() {
        return primary;
    }

    /** The replica, or the former primary while it is not a replica again. */
    public OwnDatabase other() {
        return other;
    }

    /** Administers the primary. */
    public ReplicationOperator onPrimary() throws IOException {
        return operator(primary);
    }

    /** Administers the other server. */
    public ReplicationOperator onOther() throws IOException {
        return operator(other);
    }

    /** Makes each commit wait for the replica from now on; returns when the server does so. */
    public void waitForReplica() throws IOException, DrillException {
        onPrimary().waitForReplica();
        poll.until(
                "commits wait for the replica", POLL_INTERVAL, () -> onPrimary().hasSynchronousReplica());
    }

    /** Cuts the replica off from its primary. */
    public void detach() throws IOException, DrillException {
        onOther().stopReceiving();
        poll.until(
                "the replica is disconnected",
                POLL_INTERVAL,
                () -> !onOther().isAttached() && !onPrimary().hasReplica());
    }

    /** Returns when the replica of a lost primary has replayed everything that it received. */
    public void awaitReplay() throws DrillException {
        poll.until(
                "the replica has replayed what it received",
                POLL_INTERVAL,
                () -> onOther().hasReplayed() && !onOther().isAttached());
    }

    /** Promotes the replica to primary; returns when it accepts writes. */
    public void promote() throws IOException, DrillException {
        other.operator().promote();
        OwnDatabase former = primary;
        primary = other;
        other = former;
    }

    /** Resumes a frozen former primary as a server that waits for no replica. */
    public void thawAlone() throws IOException, DrillException {
        ReplicaFiles.disableSynchronousReplication(other.home());
        ProcessSignals.send("HUP", other.processes().postmaster());
        ProcessSignals.sendAll("CONT", other.processes().database());
        poll.until("the former primary accepts writes", POLL_INTERVAL, () -> {
            onOther().write();
            return true;
        });
    }

    /** Ends the nodes' sessions on both servers. */
    public void endSessions() throws IOException {
        primary.operator().endSessions();
        other.operator().endSessions();
    }

    /** Starts the other server, a cleanly stopped primary, as a replica with the data that it has. */
    public void rejoin() throws IOException, DrillException {
        ReplicaFiles.follow(other.home(), primary.address(), primary.port());
        other.start();
        awaitAttached();
    }

    /** Makes the other server a replica again, with a new copy of the data; its own data is deleted. */
    public void rebuild() throws IOException, DrillException {
        if (other.runs()) {
            other.kill();
        }
        ReplicaFiles.copy(primary.operator(), primary.home(), other.home());
        rejoin();
    }

    private void awaitAttached() throws DrillException {
        poll.until(
                "the replica follows its primary",
                POLL_INTERVAL,
                () -> onPrimary().hasReplica());
    }

    private static ReplicationOperator operator(OwnDatabase server) throws IOException {
        return new ReplicationOperator(server.operator());
    }
}
