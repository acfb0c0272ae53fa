package io.twinbell.lab.fault.replica;

import io.twinbell.lab.own.Replication;
import io.twinbell.lab.stage.DrillStage;
import io.twinbell.lab.stage.DrilledPair;
import io.twinbell.tools.drill.DrillException;
import java.io.IOException;
import java.time.Duration;
import java.util.List;

/**
 * Fault: split brain of PostgreSQL. The primary hangs and its replica is promoted; then the former primary resumes,
 * accepts writes and completes the commits it had not acknowledged. The nodes' sessions are ended, the standby is
 * restarted and the master is killed, so that the database's address may lead each of them to either server.
 */
public final class TwoPrimaries extends ReplicaFault {
    private static final Duration EARLIEST = Duration.ofMillis(500);
    private static final Duration LATE = Duration.ofSeconds(4);
    private static final Duration ON_THE_PROMOTED = Duration.ofSeconds(3);
    private static final int ENDED = 4;
    private static final Duration BETWEEN_ENDS = Duration.ofSeconds(2);
    /** How long a session on the wrong server may last: a node may briefly connect to a server that it then refuses. */
    private static final long A_LOOK_SECONDS = 3;

    private List<ProcessHandle> frozen = List.of();

    public TwoPrimaries() {
        super(
                "two-primaries",
                "Freezes PostgreSQL, promotes its synchronous replica, resumes the former primary so that it"
                        + " accepts writes and waits for no replica, ends the sessions of the nodes several times,"
                        + " restarts the standby, and kills the master.",
                true,
                RoleEffect.ANY_MASTER);
    }

    /**
     * One epoch for the killed master; one more if a master resigns before, because it finds the promoted server later
     * than the other node.
     */
    @Override
    public Epochs epochs() {
        return new Epochs(1, 4);
    }

    @Override
    void strike(DrillStage stage, Replication servers) throws DrillException, IOException {
        frozen = servers.primary().processes().database();
        stage.freeze("the primary " + servers.primary(), frozen);
        stage.poll().sleep(between(stage, EARLIEST, LATE));
    }

    @Override
    void heal(DrillStage stage, Replication servers) throws DrillException, IOException {
        promote(stage, servers);
        long promotedMillis = stage.poll().wallMicros() / 1000;
        stage.poll().sleep(ON_THE_PROMOTED);
        stage.strike("resumed the former primary " + servers.other() + ", which accepts writes", servers::thawAlone);
        for (int i = 0; i < ENDED; i++) {
            stage.poll().sleep(BETWEEN_ENDS);
            stage.strike("ended all sessions of the nodes with both servers", servers::endSessions);
        }
        String master = stage.awaitBothNodes();
        String standby = DrilledPair.other(master);
        stage.terminate(standby);
        stage.start(standby);
        stage.awaitBothNodes();
        stage.kill(master);
        stage.awaitMaster(standby);
        stage.start(master);
        stage.poll().sleep(BETWEEN_ENDS.plusSeconds(A_LOOK_SECONDS));
        List<String> stayed = servers.onOther().sessionsOlderThan(A_LOOK_SECONDS);
        stage.expect(
                stayed.isEmpty(), "these sessions still use the former primary " + servers.other() + ": " + stayed);
        stage.print(servers.onOther().claimsSince(promotedMillis)
                + " executions were claimed on the former primary after the promotion");
        rebuild(stage, servers);
    }
}
