package io.twinbell.daemon.doctor;

import io.twinbell.ha.latch.EnsembleSurvey.Server;
import io.twinbell.ha.latch.Peer;
import io.twinbell.persistence.database.ServerHistory.Position;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/** Evaluates facts about an ensemble for a node: pure decisions. */
final class EnsembleDecision {
    private EnsembleDecision() {}

    /** @return whether at least one of them answers */
    static boolean servers(List<Server> servers, Findings findings) {
        List<Server> answering =
                servers.stream().filter(server -> server.error() == null).toList();
        for (Server server : servers) {
            if (server.error() == null) {
                findings.ok(
                        "ZooKeeper",
                        server.address() + " version "
                                + Objects.requireNonNullElse(server.version(), "unknown (srvr is not allowed)")
                                + (server.mode() == null ? "" : ", " + server.mode()));
            } else if (answering.size() * 2 > servers.size()) {
                findings.warn(
                        "ZooKeeper",
                        server.address() + ": " + server.error(),
                        "repair it: the next fault may cost the quorum");
            } else {
                findings.fail(
                        "ZooKeeper",
                        server.address() + ": " + server.error(),
                        "start it, or correct zookeeper.connect");
            }
        }
        if (servers.size() < 3) {
            findings.warn(
                    "ensemble",
                    servers.size() + (servers.size() == 1 ? " server" : " servers")
                            + ": while one is down, no node can take over (a master continues to fire)",
                    "use three servers on separate machines");
        }
        return !answering.isEmpty();
    }

    static void session(long askedMillis, long grantedMillis, Findings findings) {
        if (askedMillis == grantedMillis) {
            findings.ok("session", "the timeout of " + askedMillis + " ms is granted");
        } else {
            findings.warn(
                    "session",
                    "zookeeper.sessionTimeout requests " + askedMillis + " ms, but the servers grant " + grantedMillis
                            + " ms",
                    "set it within 2 to 20 times the servers' tickTime, or set their minSessionTimeout and"
                            + " maxSessionTimeout");
        }
    }

    /** @param isOpenToAll empty if the cluster has no folder yet */
    static void access(Optional<Boolean> isOpenToAll, Findings findings) {
        if (isOpenToAll.isEmpty()) {
            findings.ok("ZooKeeper ACL", "the cluster has no folder yet");
        } else if (isOpenToAll.get()) {
            findings.warn(
                    "ZooKeeper ACL",
                    "any client that reaches ZooKeeper may change the cluster's folder",
                    "set zookeeper.user and zookeeper.password on both nodes and run 'twinbell doctor"
                            + " --secure-zookeeper'; let only the nodes' machines reach ZooKeeper's client port");
        } else {
            findings.ok("ZooKeeper ACL", "not open to all clients");
        }
    }

    /** @param databaseId null if the database has no schema yet */
    static void mark(Optional<String> mark, String databaseId, Findings findings) {
        if (mark.isPresent() && !mark.get().equals(databaseId)) {
            findings.fail(
                    "cluster id",
                    "ZooKeeper says " + mark.get() + ", the database "
                            + (databaseId == null ? "has none" : "says " + databaseId)
                            + ": they belong to different clusters, and nodes refuse to run",
                    "correct database.url or zookeeper.connect; after a deliberate move, run 'twinbell doctor"
                            + " --adopt'");
        } else {
            findings.ok("cluster id", mark.isPresent() ? mark.get() : "not in ZooKeeper yet");
        }
    }

    /**
     * @param known the newest state that a node has used
     * @param present the state of the server; empty if the role may not read it
     */
    static void history(Optional<Position> known, Optional<Position> present, Findings findings) {
        if (known.isEmpty() || present.isEmpty() || !present.get().isRefusedAfter(known.get())) {
            return;
        }
        boolean isFormer = present.get().timeline() < known.get().timeline();
        findings.fail(
                isFormer ? "timeline" : "history",
                isFormer
                        ? "the server is on timeline " + present.get().timeline() + ", but a node used timeline "
                                + known.get().timeline() + ": it is a former primary or a restored copy, and nodes"
                                + " refuse it"
                        : "the database lacks the commits after "
                                + present.get().markTime() + ", but a node used it until "
                                + known.get().markTime() + ": it is an older copy, and nodes refuse it",
                "point database.url to the server that was used last; after a deliberate restore, run 'twinbell doctor"
                        + " --adopt'");
    }

    /** @param master the node that is master in the database; null if there is none */
    static void master(String master, List<Peer> nodes, String connect, Findings findings) {
        if (master != null && nodes.stream().noneMatch(node -> node.node().equals(master))) {
            findings.fail(
                    "ensemble",
                    "node " + master + " is master in this database, but has no entry in ZooKeeper at " + connect
                            + ": it uses other servers or another folder, or has lost its session",
                    "give both nodes the same zookeeper.connect; otherwise they take the role from each other");
        }
    }

    /** @param strangers the nodes in the cluster's folders that no node of the database created, a phrase for each */
    static void foreignEntries(List<String> strangers, Findings findings) {
        if (strangers.isEmpty()) {
            findings.ok("strangers", "none in the cluster's folders of ZooKeeper");
        }
        for (String stranger : strangers) {
            findings.warn(
                    "strangers",
                    stranger + "; nodes ignore it",
                    "find out which client writes to ZooKeeper, close the client port to others, and delete the entry"
                            + " with zkCli.sh");
        }
    }
}
