package io.twinbell.daemon.doctor;

import io.twinbell.daemon.survey.DatabaseSurvey;
import io.twinbell.daemon.survey.PairFacts;
import io.twinbell.daemon.survey.ServerFacts;
import io.twinbell.node.config.NodeConfig;
import io.twinbell.node.upkeep.store.SnapshotSurvey;
import io.twinbell.persistence.database.DatabaseRequirements;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** Evaluates facts about a database for a node: pure decisions. */
final class DatabaseDecision {
    private static final int OLDEST = 140_000;
    /**
     * The connections of a node besides those for sql tasks. For sql tasks a node allows twice the configured number,
     * because a handler may fail to return its connection.
     */
    private static final int CONNECTIONS = 17;

    /** How many tasks that no node can read are shown. */
    static final int MOST_TASKS = 3;

    private static final long CLOCK_OFF_MILLIS = 1000;

    private DatabaseDecision() {}

    static void requirements(List<DatabaseRequirements.UnmetRequirement> unmet, Findings findings) {
        unmet.forEach(one -> findings.fail(one.check(), one.said(), one.advice()));
    }

    /**
     * @param setAside settings of role, database or server that a node overrides
     * @param harmful settings that a node cannot change
     */
    static void settings(List<String> setAside, List<String> harmful, Findings findings) {
        findings.ok(
                "settings",
                setAside.isEmpty()
                        ? "role, database and server have none that a node must override"
                        : "a node's sessions override: " + String.join(", ", setAside));
        if (!harmful.isEmpty()) {
            findings.warn(
                    "settings",
                    String.join(", ", harmful)
                            + ": sessions of a lost master look idle without track_activities, tables grow without"
                            + " track_counts and autovacuum, and damaged or unread indexes give wrong rows",
                    "reset it in postgresql.conf, and for this role and database (alter role … reset)");
        }
    }

    /** @param isComplete whether this role sees the sessions of other roles */
    static void snapshots(List<SnapshotSurvey.Holder> holders, boolean isComplete, Findings findings) {
        if (!isComplete) {
            findings.ok(
                    "vacuum",
                    "not checked for sessions of other roles: grant pg_monitor to the node's role, so that doctor, the"
                            + " log and twinbell_snapshot_held_seconds show who holds back vacuum");
        }
        for (SnapshotSurvey.Holder holder : holders) {
            String time = holder.seconds() == 0 ? "" : " for " + Duration.ofSeconds(holder.seconds());
            findings.warn(
                    "vacuum",
                    holder.holder() + " has held a snapshot" + time
                            + ": rows of finished work cannot be cleaned up, so the tables grow and claims take longer",
                    holder.wayOut());
        }
    }

    static void server(ServerFacts server, NodeConfig config, Findings findings) {
        if (server.versionNumber() >= OLDEST) {
            findings.ok("PostgreSQL", "version " + server.version() + ", database " + server.database());
        }
        if (server.isReadOnly()) {
            findings.fail(
                    "primary",
                    "this server accepts no writes: it is a replica, or is set to read-only",
                    "point database.url to the primary, or reset default_transaction_read_only there");
        }
        if (!server.unsafeSettings().isEmpty()) {
            findings.fail(
                    "durability",
                    server.unsafeSettings() + ": commits may be lost, and slots may run twice or never",
                    "turn it on in postgresql.conf, and for this role and database (alter role … reset)");
        } else {
            findings.ok("durability", "fsync, full_page_writes and synchronous_commit are on");
        }
        room(server.connectionSlots(), config, findings);
    }

    private static void room(ServerFacts.ConnectionSlots connectionSlots, NodeConfig config, Findings findings) {
        int node = CONNECTIONS
                + (config.handlers().sql().isEnabled()
                        ? 2 * config.handlers().sql().connections()
                        : 0);
        String said = connectionSlots.used() + " of " + connectionSlots.max()
                + " connections are used; a pair takes up to " + 2 * node;
        if (connectionSlots.max() < 2 * node) {
            findings.fail("connections", said, "raise max_connections");
        } else if (connectionSlots.max() - connectionSlots.used() < node) {
            findings.warn("connections", said, "raise max_connections, or find out which clients use them");
        } else {
            findings.ok("connections", said);
        }
    }

    static void commit(DatabaseSurvey.CommitFacts commit, Findings findings) {
        if (commit.took() != null) {
            findings.ok("commit", "a commit took " + commit.took().toMillis() + " ms");
            return;
        }
        String said = "a commit did not end within " + commit.bound().toSeconds() + " s: nothing can be claimed or"
                + " recorded";
        if (commit.synchronousStandbys().isEmpty()) {
            findings.fail("commit", said, "check the server's disk, its free space and its load");
        } else {
            findings.fail(
                    "commit",
                    said + "; synchronous_standby_names is '" + commit.synchronousStandbys() + "', and "
                            + (commit.replicas() == 0 ? "no replica is" : commit.replicas() + " replicas are")
                            + " attached",
                    "attach the synchronous replica again, or remove its name from synchronous_standby_names and"
                            + " reload");
        }
    }

    /** @param offsetMillis how far the database's clock is ahead of this machine's; accurate to half the round trip */
    static void clock(long offsetMillis, Duration roundTrip, Findings findings) {
        String said = "the database is " + Math.abs(offsetMillis) + " ms "
                + (offsetMillis < 0 ? "behind" : "ahead of")
                + " this machine (round trip " + roundTrip.toMillis() + " ms)";
        if (Math.abs(offsetMillis) > CLOCK_OFF_MILLIS) {
            findings.warn(
                    "clock",
                    said + "; firing uses the database's clock, but logs and certificates use this machine's",
                    "set up time synchronisation (chrony, systemd-timesyncd) on both machines");
        } else {
            findings.ok("clock", said);
        }
    }

    /** @param byTransaction why a connection to the database does not keep its session; empty if it does */
    static void sessions(Optional<String> byTransaction, Findings findings) {
        byTransaction.ifPresent(why -> findings.fail(
                "pooler", why, "change it and run doctor again; until then, a node ends with exit code 77"));
    }

    static void locks(Optional<String> unfit, Optional<Duration> fellFreeAfter, Findings findings) {
        if (unfit.isPresent()) {
            findings.warn(
                    "fast takeover",
                    unfit.get(),
                    "point database.url directly to PostgreSQL; otherwise a takeover waits for the ZooKeeper session");
            return;
        }
        findings.ok("pooler", "none found: the announced process answers, and session options reach it");
        if (fellFreeAfter.isEmpty()) {
            findings.warn(
                    "fast takeover",
                    "the lock of a closed session was not free after two seconds",
                    "check for a proxy between this machine and PostgreSQL; otherwise a takeover waits for the"
                            + " ZooKeeper session");
        } else {
            findings.ok(
                    "fast takeover",
                    "the lock of a closed session was free after "
                            + fellFreeAfter.get().toMillis() + " ms");
        }
    }

    /** @param newest the schema version that this build creates */
    static void schema(PairFacts pair, int newest, String cluster, Findings findings) {
        if (pair.schema() == null) {
            findings.ok("schema", "none yet; the first node creates version " + newest);
            return;
        }
        schemaVersion(pair, newest, findings);
        clusterName(pair, cluster, findings);
        server(pair, findings);
    }

    /** @param tasks that no node can read, one more than are shown if there are more */
    static void unreadable(List<String> tasks, Findings findings) {
        for (String task : tasks.subList(0, Math.min(MOST_TASKS, tasks.size()))) {
            findings.warn(
                    "task",
                    "no node can read " + task,
                    tasks.size() > MOST_TASKS
                            ? "correct or remove it, and others: 'twinbell task list --state ERROR' names all"
                            : "correct it by PUT or PATCH, or remove it; until then it does not fire");
        }
    }

    private static void schemaVersion(PairFacts pair, int newest, Findings findings) {
        int difference = Integer.compare(Integer.parseInt(pair.schema()), newest);
        if (difference > 0 && pair.oldestBuild() <= newest) {
            findings.ok(
                    "schema",
                    "version " + pair.schema() + "; this build knows version " + newest + " and may run on it");
        } else if (difference > 0) {
            findings.fail(
                    "schema",
                    "version " + pair.schema() + ", but this build knows versions up to " + newest,
                    "upgrade this node: the schema requires a build that knows version " + pair.oldestBuild());
        } else if (difference < 0) {
            findings.warn(
                    "schema",
                    "version " + pair.schema() + "; the first node of this build migrates it to " + newest,
                    "take a backup first, and check whether the release notes require both nodes to be stopped");
        } else {
            findings.ok("schema", "version " + pair.schema());
        }
    }

    private static void clusterName(PairFacts pair, String cluster, Findings findings) {
        if (pair.clusterName() != null && !pair.clusterName().equals(cluster)) {
            findings.fail(
                    "cluster",
                    "the database belongs to cluster \"" + pair.clusterName() + "\", but the configuration key cluster"
                            + " says \""
                            + cluster + "\"",
                    "correct the key, or use a separate database for this cluster");
        }
    }

    private static void server(PairFacts pair, Findings findings) {
        if (pair.isMoved()) {
            findings.fail(
                    "server",
                    "the database is on another server than before (system identifier " + pair.presentSystem()
                            + ", recorded " + pair.recordedSystem() + "): a node starts with firing paused",
                    "make sure that no node runs on the old server, then run 'twinbell doctor --adopt'");
        } else if (pair.presentSystem() == null) {
            findings.warn(
                    "server",
                    "this role may not read the server's system identifier, so nodes cannot detect a copy on another"
                            + " server",
                    "grant execute on function pg_control_system() to the role");
        }
    }
}
