package io.twinbell.node.doctor;

import io.twinbell.ha.latch.EnsembleSurvey;
import io.twinbell.ha.latch.Peer;
import io.twinbell.node.config.NodeConfig;
import io.twinbell.persistence.cluster.FiringPauses;
import io.twinbell.persistence.cluster.SystemIdentity;
import io.twinbell.persistence.database.DatabaseSettings;
import io.twinbell.persistence.database.DedicatedConnection;
import io.twinbell.persistence.database.ServerHistory.Position;
import io.twinbell.persistence.database.Ticker;
import io.twinbell.persistence.survey.DatabaseSurvey;
import io.twinbell.persistence.survey.PairFacts;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.stream.Stream;

/** After a deliberate move: lets database and ensemble belong together as they are configured now. */
public final class Adoption {
    private static final int SECONDS = 5;

    private final NodeConfig config;

    public Adoption(NodeConfig config) {
        this.config = config;
    }

    /** Why nothing was adopted; the message is for the person who asked. */
    public static final class RefusedException extends RuntimeException {
        private static final long serialVersionUID = 1L;

        RefusedException(String message) {
            super(message);
        }
    }

    /**
     * Adopts what differs.
     *
     * @return a sentence for each thing that was changed; none if everything belonged together already
     * @throws RefusedException if a node runs, if there is nothing to adopt, or if ZooKeeper gives no session
     * @throws io.twinbell.persistence.database.DatabaseUnavailableException if the database does not answer
     */
    public List<String> adopt() {
        DatabaseSettings settings = Doctor.settings(config);
        try (DatabaseSurvey database = new DatabaseSurvey(settings, Ticker.SYSTEM);
                EnsembleSurvey ensemble = Doctor.ensemble(config);
                DedicatedConnection connection = new DedicatedConnection(settings, "adopt", SECONDS)) {
            PairFacts pair = database.pair();
            if (pair.schema() == null) {
                throw new RefusedException("there is nothing to adopt: the database has no schema of Twinbell");
            }
            if (!ensemble.connect()) {
                throw new RefusedException("ZooKeeper at " + config.zooKeeper().connect() + " gives no session");
            }
            refuseIfAnybodyRuns(pair, EnsembleLook.at(ensemble, connection, pair));
            List<String> done = new ArrayList<>();
            if (pair.isMoved()) {
                adoptServer(pair, connection, done);
            }
            adoptTimeline(settings.servers().newest(), ensemble, done);
            if (!ensemble.clusterId().equals(Optional.of(pair.clusterId()))) {
                ensemble.adopt(UUID.fromString(pair.clusterId()));
                done.add("ZooKeeper knows cluster " + config.cluster() + " by the database's id " + pair.clusterId()
                        + " now");
            }
            return done;
        }
    }

    /** A backup that was made before a promotion is on an earlier timeline: nodes refuse its server as a former primary. */
    private static void adoptTimeline(Optional<Position> present, EnsembleSurvey ensemble, List<String> done) {
        Optional<Position> known = ensemble.timeline();
        if (known.isPresent() && present.isPresent() && present.get().isBefore(known.get())) {
            ensemble.forgetTimeline();
            done.add("ZooKeeper has forgotten timeline " + known.get().timeline() + ": the database is on timeline "
                    + present.get().timeline() + " now");
        }
    }

    /** Entries that this database does not know may be of nodes of the other one, so they count as well. */
    private void refuseIfAnybodyRuns(PairFacts pair, EnsembleSurvey.Inhabitants found) {
        List<String> running = Stream.concat(found.nodes().stream().map(Peer::node), found.unknown().stream())
                .toList();
        if (!running.isEmpty()) {
            throw new RefusedException("stop the nodes first: " + String.join(", ", running) + " is in ZooKeeper");
        }
        if (pair.master() != null) {
            throw new RefusedException("stop the nodes first: node " + pair.master() + " is master in this database");
        }
    }

    private static void adoptServer(PairFacts pair, DedicatedConnection connection, List<String> done) {
        new SystemIdentity(connection).adopt();
        done.add("the database is known to be on the server with system identifier " + pair.presentSystem() + " now");
        FiringPauses pauses = new FiringPauses(connection);
        boolean isPausedForIt = pauses.latest().stream()
                .limit(1)
                .anyMatch(pause ->
                        pause.untilMillis() == Long.MAX_VALUE && pause.reason().startsWith(SystemIdentity.MOVED));
        if (isPausedForIt && pauses.resume()) {
            done.add("firing is not paused any more; slots that passed meanwhile are SKIPPED");
        }
    }
}
