package io.twinbell.daemon.doctor;

import io.twinbell.daemon.survey.DatabaseSurvey;
import io.twinbell.daemon.survey.PairFacts;
import io.twinbell.ha.latch.EnsembleSurvey;
import io.twinbell.ha.latch.Peer;
import io.twinbell.node.config.NodeConfig;
import io.twinbell.node.limit.store.FiringPauses;
import io.twinbell.node.pair.database.SystemIdentity;
import io.twinbell.persistence.clock.Ticker;
import io.twinbell.persistence.cluster.MemberRegister;
import io.twinbell.persistence.database.DatabaseSettings;
import io.twinbell.persistence.database.DedicatedConnection;
import io.twinbell.persistence.database.Migrations;
import io.twinbell.persistence.database.ServerHistory.Position;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.stream.Stream;

/**
 * Implements {@code doctor --adopt}: after a deliberate move or restore, declares that the configured database and
 * ensemble belong together.
 */
public final class Adoption {
    private static final int SECONDS = 5;
    private static final int SHOWN = 20;

    private final NodeConfig config;

    public Adoption(NodeConfig config) {
        this.config = config;
    }

    /** Reports why nothing was adopted; the message is for the operator. */
    public static final class RefusedException extends RuntimeException {
        private static final long serialVersionUID = 1L;

        RefusedException(String message) {
            super(message);
        }
    }

    /**
     * What happens to slots that were due after a backup was made: the restored database does not know which of them
     * ran.
     */
    public enum Slots {
        /** They fire by the misfire policy of each task, as after an outage. */
        POLICY,
        /** They are recorded as MISSED and do not fire. */
        MISSED
    }

    /**
     * Reports what the database may lack, and what would fire. Changes nothing.
     *
     * @param since the instant up to which the history is complete; empty for the newest heartbeat in the database
     * @throws io.twinbell.persistence.database.DatabaseUnavailableException if the database does not answer
     */
    public List<String> preview(Optional<Instant> since) {
        DatabaseSettings settings = Doctor.settings(config);
        try (DatabaseSurvey database = new DatabaseSurvey(settings, Ticker.SYSTEM);
                EnsembleSurvey ensemble = Doctor.ensemble(config)) {
            refuseAnEarlierSchema(database.pair(), settings);
            Optional<Position> present = database.position();
            Instant from = completeUntil(since, present);
            DatabaseSurvey.DueSummary due = database.due(SHOWN);
            List<String> lines = new ArrayList<>();
            present.ifPresent(position -> lines.add("the database contains the commits up to " + position.markTime()));
            if (ensemble.connect()) {
                ensemble.timeline()
                        .ifPresent(known -> lines.add("the pair used the database until " + known.markTime()));
            }
            lines.add(
                    "tasks that are due since " + firstMissed(from, due) + " and may have run already: " + due.tasks());
            due.soonest().forEach(task -> lines.add("  " + task));
            if (due.tasks() > due.soonest().size()) {
                lines.add("  ...");
            }
            lines.add("nothing was changed; repeat the command with --slots POLICY to let them fire by their misfire"
                    + " policies, or with --slots MISSED to record them as MISSED without firing");
            return lines;
        }
    }

    /**
     * The instant up to which the history is complete. A database that no master of this build has used yet has no
     * heartbeat, so the instant must be given.
     */
    private static Instant completeUntil(Optional<Instant> since, Optional<Position> present) {
        return since.or(() -> present.map(Position::markMillis)
                        .filter(millis -> millis > 0)
                        .map(Instant::ofEpochMilli))
                .orElseThrow(() -> new RefusedException(
                        "the database does not show up to when its history is complete: give the instant with"
                                + " --since"));
    }

    /**
     * Refuses a schema older than this build's. A node migrates the restored backup of an earlier build to the present
     * schema before it refuses the copy.
     */
    private static void refuseAnEarlierSchema(PairFacts pair, DatabaseSettings settings) {
        if (pair.schema() == null) {
            throw new RefusedException("nothing to adopt: the database has no schema of Twinbell");
        }
        int newest = Migrations.newest(settings.schema(), settings.dataSource("adopt"));
        if (Integer.parseInt(pair.schema()) < newest) {
            throw new RefusedException("the schema has version " + pair.schema() + ", but this build adopts version "
                    + newest + ": start a node, which migrates the schema, stop the node, and repeat the command");
        }
    }

    /** Adopts every difference; due slots fire by their misfire policy. */
    public List<String> adopt() {
        return adopt(Slots.POLICY, Optional.empty());
    }

    /**
     * Adopts every difference.
     *
     * @param since as for {@link #preview}
     * @return a sentence for each change; none if everything belonged together already
     * @throws RefusedException if a node runs, if there is nothing to adopt, or if ZooKeeper gives no session
     * @throws io.twinbell.persistence.database.DatabaseUnavailableException if the database does not answer
     */
    public List<String> adopt(Slots slots, Optional<Instant> since) {
        DatabaseSettings settings = Doctor.settings(config);
        try (DatabaseSurvey database = new DatabaseSurvey(settings, Ticker.SYSTEM);
                EnsembleSurvey ensemble = Doctor.ensemble(config);
                DedicatedConnection connection = new DedicatedConnection(settings, "adopt", SECONDS)) {
            PairFacts pair = database.pair();
            refuseAnEarlierSchema(pair, settings);
            if (!ensemble.connect()) {
                throw new RefusedException("ZooKeeper at " + config.zooKeeper().connect() + " grants no session");
            }
            refuseIfAnybodyRuns(pair, Doctor.inhabitants(ensemble, connection, pair));
            Optional<Position> present = database.position();
            Instant from = slots == Slots.MISSED ? completeUntil(since, present) : null;
            List<String> done = new ArrayList<>();
            if (pair.isMoved()) {
                new SystemIdentity(connection).adopt();
                done.add("the database is now recorded on the server with system identifier " + pair.presentSystem());
            }
            new MemberRegister(connection).forgetElections();
            endPause(new FiringPauses(connection), done);
            if (slots == Slots.MISSED) {
                enterMissed(from, firstMissed(from, database.due(SHOWN)), new FiringPauses(connection), done);
            }
            adoptHistory(present, ensemble, done);
            if (!ensemble.clusterId().equals(Optional.of(pair.clusterId()))) {
                ensemble.adopt(UUID.fromString(pair.clusterId()));
                done.add(
                        "ZooKeeper now has the database's id of cluster " + config.cluster() + ", " + pair.clusterId());
            }
            return done;
        }
    }

    /**
     * The first slot that may be missed. It may be due before the end of the history: a master that was late may have
     * claimed it after that end.
     */
    private static Instant firstMissed(Instant completeUntil, DatabaseSurvey.DueSummary due) {
        return Instant.ofEpochMilli(
                Math.min(completeUntil.toEpochMilli(), due.oldestMillis().orElse(Long.MAX_VALUE)));
    }

    /** Enters a pause in the past. The master then records every slot that was due during this pause as MISSED. */
    private static void enterMissed(Instant completeUntil, Instant first, FiringPauses pauses, List<String> done) {
        pauses.addRestore(
                first.toEpochMilli(),
                "the history is complete until " + completeUntil,
                System.getProperty("user.name"));
        done.add("slots since " + first + " are recorded as MISSED");
    }

    /** Deletes the timeline mark in ZooKeeper if nodes would refuse this database because of it. */
    private static void adoptHistory(Optional<Position> present, EnsembleSurvey ensemble, List<String> done) {
        Optional<Position> known = ensemble.timeline();
        if (known.isPresent() && present.isPresent() && present.get().isRefusedAfter(known.get())) {
            ensemble.forgetTimeline();
            done.add("removed from ZooKeeper: timeline " + known.get().timeline() + " until "
                    + known.get().markTime()
                    + ": the database is on timeline " + present.get().timeline()
                    + ", and contains the commits up to "
                    + present.get().markTime());
        }
    }

    /** Entries that this database does not know count too, because they may belong to nodes of the other database. */
    private void refuseIfAnybodyRuns(PairFacts pair, EnsembleSurvey.TreeContents found) {
        List<String> running = Stream.concat(found.nodes().stream().map(Peer::node), found.unknown().stream())
                .toList();
        if (!running.isEmpty()) {
            throw new RefusedException("stop the nodes first; ZooKeeper has entries of: " + String.join(", ", running));
        }
        if (pair.master() != null) {
            throw new RefusedException("stop the nodes first: node " + pair.master() + " is master in this database");
        }
    }

    /** Ends the pause that a node has set because it found a copy. */
    private static void endPause(FiringPauses pauses, List<String> done) {
        boolean isPausedForIt = pauses.latest().stream()
                .limit(1)
                .anyMatch(pause ->
                        pause.untilMillis() == Long.MAX_VALUE && pause.reason().startsWith(SystemIdentity.MOVED));
        if (isPausedForIt && pauses.resume()) {
            done.add("firing is resumed; slots that passed during the pause are SKIPPED");
        }
    }
}
