package io.twinbell.tools.drill.own;

import io.twinbell.tools.devpair.ReplicaFiles;
import io.twinbell.tools.devpair.ReplicationOperator;
import io.twinbell.tools.drill.stage.ConditionPoll;
import io.twinbell.tools.drill.stage.DrillException;
import io.twinbell.tools.drill.stage.ProcessSignals;
import java.io.IOException;
import java.time.Duration;

/** A primary and its streaming replica. A promotion turns the replica into the primary; the former primary is the other one then. */
public final class Replication {
    private static final Duration OFTEN = Duration.ofMillis(20);

    private final ConditionPoll poll;
    private OwnDatabase primary;
    private OwnDatabase other;

    /** @param other does not run yet */
    Replication(OwnDatabase primary, OwnDatabase other, ConditionPoll poll) {
        this.primary = primary;
        this.other = other;
        this.poll = poll;
    }

    /** Returns when the replica follows. */
    void begin() throws IOException, DrillException {
        operator(primary).keepLog();
        rebuild();
    }

    /** The server that takes writes, or that has died as such and has no successor yet. */
    public OwnDatabase primary() {
        return primary;
    }

    /** The replica, or the former primary if that is not a replica again. */
    public OwnDatabase other() {
        return other;
    }

    /** The primary, for its administrator. */
    public ReplicationOperator onPrimary() throws IOException {
        return operator(primary);
    }

    /** The other server, for its administrator. */
    public ReplicationOperator onOther() throws IOException {
        return operator(other);
    }

    /** From now on each commit waits for the replica; returns when the server holds to that. */
    public void waitForReplica() throws IOException, DrillException {
        onPrimary().waitForReplica();
        poll.until("commits wait for the replica", OFTEN, () -> onPrimary().hasSynchronousReplica());
    }

    /** Cuts the replica off from its primary. */
    public void detach() throws IOException, DrillException {
        onOther().followNobody();
        poll.until(
                "the replica is cut off",
                OFTEN,
                () -> !onOther().isAttached() && !onPrimary().hasReplica());
    }

    /** Returns when the replica, whose primary has gone, shows all that it has received. */
    public void awaitReplay() throws DrillException {
        poll.until(
                "the replica has replayed what it received",
                OFTEN,
                () -> onOther().hasReplayed() && !onOther().isAttached());
    }

    /** Returns when the replica takes writes; from then on it is the primary. */
    public void promote() throws IOException, DrillException {
        other.operator().promote();
        OwnDatabase former = primary;
        primary = other;
        other = former;
    }

    /** Has a frozen former primary go on as a server that waits for no replica. */
    public void thawAlone() throws IOException, DrillException {
        ReplicaFiles.waitForNobody(other.home());
        ProcessSignals.send("HUP", other.processes().postmaster());
        ProcessSignals.sendAll("CONT", other.processes().database());
        poll.until("the former primary takes writes", OFTEN, () -> {
            onOther().write();
            return true;
        });
    }

    /** Ends the sessions of the nodes with both servers. */
    public void endSessions() throws IOException {
        primary.operator().endSessions();
        other.operator().endSessions();
    }

    /** Starts the other server, which was stopped cleanly as the primary, as a replica on the data that it has. */
    public void rejoin() throws IOException, DrillException {
        ReplicaFiles.follow(other.home(), primary.address(), primary.port());
        other.start();
        awaitAttached();
    }

    /** Makes the other server a replica again, with a new copy of the data. What it had is gone. */
    public void rebuild() throws IOException, DrillException {
        if (other.runs()) {
            other.kill();
        }
        ReplicaFiles.copy(primary.operator(), primary.home(), other.home());
        rejoin();
    }

    private void awaitAttached() throws DrillException {
        poll.until("the replica follows its primary", OFTEN, () -> onPrimary().hasReplica());
    }

    private static ReplicationOperator operator(OwnDatabase server) throws IOException {
        return new ReplicationOperator(server.operator());
    }
}
