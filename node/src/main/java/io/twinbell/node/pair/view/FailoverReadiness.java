package io.twinbell.node.pair.view;

import io.twinbell.ha.latch.Election;
import io.twinbell.ha.role.Role;
import io.twinbell.node.api.cluster.PairState;
import io.twinbell.node.cluster.store.HandlerKeys;
import io.twinbell.persistence.cluster.MemberRegister;
import io.twinbell.persistence.cluster.Pause;
import io.twinbell.persistence.epoch.EpochRow;
import io.twinbell.persistence.epoch.TakeoverHold;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** Lists what would make a failover fail or be slow now. A pure decision. */
final class FailoverReadiness {
    /**
     * The clock difference that is reported. A node fires by the database's clock, but people and certificates use the
     * node's own clock.
     */
    private static final long CLOCK_OFF_MILLIS = 1000;

    /** Curator's names of these states. */
    private static final List<String> REACHES_ZOOKEEPER = List.of("CONNECTED", "RECONNECTED");

    private final Facts facts;
    private final List<PairState.Node> nodes;
    private final List<String> reasons = new ArrayList<>();

    /**
     * The facts about the pair as a whole.
     *
     * @param owner null if the database does not tell
     * @param oldestBuild the schema version that a build must know to run on this schema
     * @param election as seen by the node that is asked
     * @param lacking java handlers and http profiles that are in use and that not every node has
     * @param foreignEntries the nodes among the entries that no node of this database wrote; a phrase for each
     * @param otherApplication a sentence about a node of another application in the pair; empty if there is none
     * @param waiting nodes that run but cannot take part, because they use another ZooKeeper
     */
    record Facts(
            EpochRow owner,
            int oldestBuild,
            Election election,
            List<HandlerKeys.MissingCode> lacking,
            List<String> foreignEntries,
            Optional<String> otherApplication,
            List<MemberRegister.ForeignEnsembleNode> waiting) {
        /** The facts that are known without the database. */
        static Facts withoutDatabase(
                Election election, List<String> foreignEntries, Optional<String> otherApplication) {
            return new Facts(null, 0, election, List.of(), foreignEntries, otherApplication, List.of());
        }
    }

    private FailoverReadiness(Facts facts, List<PairState.Node> nodes) {
        this.facts = facts;
        this.nodes = nodes;
    }

    /**
     * The reasons why a failover would fail or be slow; none if it would succeed.
     *
     * @param asked the id of the node that is asked
     */
    static List<String> reasons(Facts facts, String asked, List<PairState.Node> nodes) {
        FailoverReadiness readiness = new FailoverReadiness(facts, nodes);
        readiness.examinePair(asked);
        nodes.forEach(readiness::examine);
        return readiness.reasons;
    }

    /**
     * The tasks that a successor would not fire, because pauses survive a failover.
     *
     * @param all the open pause of all firing; null if there is none
     * @param standing the open standing pauses
     */
    static List<String> notes(Pause all, List<Pause> standing) {
        List<String> notes = new ArrayList<>();
        if (all != null) {
            notes.add("all firing is paused, also after a failover");
        }
        if (!standing.isEmpty()) {
            notes.add("firing is paused for " + standing.size()
                    + (standing.size() == 1 ? " app, tag or handler" : " apps, tags or handlers")
                    + ", also after a failover");
        }
        return notes;
    }

    private void examinePair(String asked) {
        if (facts.owner() != null) {
            examineOwner(facts.owner());
        }
        if (!facts.election().connected()) {
            reasons.add("node " + asked + " does not reach ZooKeeper");
        }
        if (nodes.stream().noneMatch(node -> isRole(node, Role.STANDBY) || isDrainingStandby(node) || hasNoApi(node))) {
            reasons.add("there is no standby");
        }
        facts.waiting()
                .forEach(node -> reasons.add("node " + node.node() + " uses this database but waits: its"
                        + " zookeeper.connect " + node.address() + " is not the election of the other node"));
        facts.lacking()
                .forEach(missing -> reasons.add("node " + missing.node() + " has no "
                        + switch (missing.kind()) {
                            case JAVA_HANDLER -> "Java handler with the key";
                            case HTTP_PROFILE -> "http profile";
                        }
                        + " \"" + missing.key() + "\", which tasks use and another node has"));
        facts.otherApplication().ifPresent(reasons::add);
        // The nodes ignore them, but the same client may also do harm that cannot be ignored.
        Stream.concat(facts.election().foreignEntries().stream(), facts.foreignEntries().stream())
                .forEach(stranger -> reasons.add("another client writes to ZooKeeper: " + stranger));
    }

    private void examineOwner(EpochRow owner) {
        if (!owner.isOwnerAlive()) {
            boolean isSilent = !owner.resigned()
                    && nodes.stream().anyMatch(node -> node.id().equals(owner.node()) && isRole(node, Role.MASTER));
            reasons.add(isSilent ? "master " + owner.node() + " records no heartbeat" : "there is no master");
        }
        TakeoverHold hold = owner.hold();
        if (hold != null) {
            reasons.add("automatic takeover is on hold " + hold);
        }
    }

    /** A node that has handed over stands in the election again while it drains, and takes over if it is needed. */
    private boolean isDrainingStandby(PairState.Node node) {
        return isRole(node, Role.DEMOTING)
                && facts.election().connected()
                && facts.election().isCandidate(node.id());
    }

    private void examine(PairState.Node node) {
        if (node.error() != null) {
            reasons.add("node " + node.id() + " " + node.error());
            return;
        }
        if (isRole(node, Role.STANDBY) || isDrainingStandby(node)) {
            examineStandby(node);
        }
        if (isRole(node, Role.MASTER) && node.firing() != null && node.firing().obstacle() != null) {
            reasons.add(
                    "master " + node.id() + " does not fire: " + node.firing().obstacle());
        }
        // A failover would still succeed, but only after the master's ZooKeeper session has timed out.
        if (!node.fastTakeover().armed()) {
            reasons.add("fast takeover is off on node " + node.id() + ": "
                    + node.fastTakeover().obstacle());
        }
        long offset = node.nodeResources().clockOffsetMillis();
        if (Math.abs(offset) > CLOCK_OFF_MILLIS) {
            reasons.add("the clock of node " + node.id() + " is " + Math.abs(offset) + " ms "
                    + (offset > 0 ? "behind" : "ahead of") + " the database's");
        }
    }

    private void examineStandby(PairState.Node standby) {
        if (!standby.connections().databaseReached()) {
            reasons.add("standby " + standby.id() + " does not reach the database");
        }
        // Its entry stays until its session ends, but it could not use the latch.
        if (!REACHES_ZOOKEEPER.contains(standby.connections().zooKeeper())) {
            reasons.add("standby " + standby.id() + " does not reach ZooKeeper");
        }
        if (facts.election().connected() && !facts.election().isCandidate(standby.id())) {
            reasons.add("standby " + standby.id() + " does not take part in the election");
        }
        // Such a standby ends at its next look at the schema. Different versions alone are no obstacle, because they
        // occur in every upgrade.
        Integer known = standby.build().knownSchema();
        if (known != null && known < facts.oldestBuild()) {
            reasons.add("standby " + standby.id() + " knows version " + known
                    + " of the schema, but this database requires version " + facts.oldestBuild());
        }
        int workers = standby.nodeResources().workers();
        if (standby.nodeResources().activeWorkers() >= workers) {
            reasons.add("all " + workers + " workers of standby " + standby.id() + " are busy draining");
        }
        nodes.stream()
                .filter(node ->
                        isRole(node, Role.MASTER) && node.nodeResources().workers() > workers)
                .forEach(master -> reasons.add("standby " + standby.id() + " has " + workers + " workers, but master "
                        + master.id() + " has " + master.nodeResources().workers()));
    }

    /** Its role is unknown here, but it may be the standby. */
    private static boolean hasNoApi(PairState.Node node) {
        return node.electionState() == null
                && node.addresses() != null
                && node.addresses().http().isEmpty();
    }

    private static boolean isRole(PairState.Node node, Role role) {
        return node.electionState() != null && node.electionState().role().equals(role.name());
    }
}
