package io.twinbell.node.pair.view;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.twinbell.ha.latch.Election;
import io.twinbell.node.api.cluster.PairState;
import io.twinbell.persistence.cluster.MemberRegister;
import io.twinbell.persistence.cluster.Pause;
import io.twinbell.persistence.epoch.EpochRow;
import io.twinbell.persistence.epoch.TakeoverHold;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** Whatever is missing for a failover is said, and of a sound pair nothing is. */
class FailoverReadinessTest {
    private static final Election BOTH_STAND = new Election(true, true, true, 1, 7, List.of("a", "b"));
    private static final EpochRow ALIVE = new EpochRow(5, "a", UUID.randomUUID(), false, 100, 0, 0);
    private static final int OLDEST_BUILD = 13;
    private static final PairState.NodeResources MEANS = new PairState.NodeResources(16, 3, 0, 0, 12);
    private static final PairState.FastTakeoverState ARMED = new PairState.FastTakeoverState(false, null);

    private static PairState.Node node(String id, String role) {
        return node(id, role, MEANS, 13, ARMED, true);
    }

    private static PairState.Node node(
            String id,
            String role,
            PairState.NodeResources nodeResources,
            int knownSchema,
            PairState.FastTakeoverState takeover,
            boolean reachesDatabase) {
        return new PairState.Node(
                id,
                new PairState.ElectionState(role, 5, false, false, false, null),
                new PairState.Addresses("http://" + id, id),
                new PairState.ConnectionStates("CONNECTED", reachesDatabase, 100L),
                takeover,
                nodeResources,
                new PairState.Build("1f0c", "0.1.0", "14", knownSchema),
                new PairState.Firing(0, null, 0, 0, 0, List.of()),
                null);
    }

    private static FailoverReadiness.Facts facts(EpochRow owner, Election election) {
        return new FailoverReadiness.Facts(
                owner, OLDEST_BUILD, election, List.of(), List.of(), Optional.empty(), List.of());
    }

    private static List<String> reasons(PairState.Node... nodes) {
        return FailoverReadiness.reasons(facts(ALIVE, BOTH_STAND), "a", List.of(nodes));
    }

    @Test
    void a_sound_pair_lacks_nothing() {
        assertEquals(List.of(), reasons(node("a", "MASTER"), node("b", "STANDBY")));
    }

    @Test
    void pauses_that_survive_a_failover_are_noted() {
        Pause all = new Pause(0, Long.MAX_VALUE, "move", "bob", false, null);
        Pause shop = new Pause(0, Long.MAX_VALUE, "stocktaking", "ann", false, "app:shop");
        assertEquals(List.of(), FailoverReadiness.notes(null, List.of()));
        assertEquals(
                List.of(
                        "all firing is paused, also after a failover",
                        "firing is paused for 2 apps, tags or handlers, also after a failover"),
                FailoverReadiness.notes(all, List.of(shop, shop)));
    }

    @Test
    void without_the_database_the_nodes_and_zookeeper_are_still_examined() {
        Election alone = new Election(true, true, true, 1, 7, List.of("a"), List.of());
        assertEquals(
                List.of(
                        "there is no standby",
                        "another client writes to ZooKeeper: /nodes/x is not the entry of a node"),
                FailoverReadiness.reasons(
                        FailoverReadiness.Facts.withoutDatabase(
                                alone, List.of("/nodes/x is not the entry of a node"), Optional.empty()),
                        "a",
                        List.of(node("a", "MASTER"))));
    }

    @Test
    void entries_of_strangers_in_zookeeper_are_named() {
        Election election =
                new Election(true, true, true, 1, 7, List.of("a", "b"), List.of("/latch/0 is not ephemeral"));
        assertEquals(
                List.of(
                        "another client writes to ZooKeeper: /latch/0 is not ephemeral",
                        "another client writes to ZooKeeper: /nodes/x is not a valid node entry"),
                FailoverReadiness.reasons(
                        new FailoverReadiness.Facts(
                                ALIVE,
                                OLDEST_BUILD,
                                election,
                                List.of(),
                                List.of("/nodes/x is not a valid node entry"),
                                Optional.empty(),
                                List.of()),
                        "a",
                        List.of(node("a", "MASTER"), node("b", "STANDBY"))));
    }

    @Test
    void a_node_that_waits_because_its_zookeeper_is_another_and_another_application_are_named() {
        FailoverReadiness.Facts facts = new FailoverReadiness.Facts(
                ALIVE,
                OLDEST_BUILD,
                BOTH_STAND,
                List.of(),
                List.of(),
                Optional.of("node a and node b belong to two applications"),
                List.of(new MemberRegister.ForeignEnsembleNode("b", "zk9:2181/other")));
        assertEquals(
                List.of(
                        "there is no standby",
                        "node b uses this database but waits: its zookeeper.connect zk9:2181/other is not the"
                                + " election of the other node",
                        "node a and node b belong to two applications"),
                FailoverReadiness.reasons(facts, "a", List.of(node("a", "MASTER"))));
    }

    @Test
    void a_missing_or_silent_node_is_named() {
        assertEquals(List.of("there is no standby"), reasons(node("a", "MASTER")));
        PairState.Node silent =
                new PairState.Node("b", null, null, null, null, null, null, null, "does not answer: refused");
        assertEquals(
                List.of("there is no standby", "node b does not answer: refused"),
                reasons(node("a", "MASTER"), silent));
    }

    @Test
    void a_standby_must_be_connected_everywhere() {
        Election alone = new Election(true, true, true, 1, 7, List.of("a"));
        PairState.Node cutOff = node("b", "STANDBY", MEANS, 13, ARMED, false);
        assertEquals(
                List.of("standby b does not reach the database", "standby b does not take part in the election"),
                FailoverReadiness.reasons(facts(ALIVE, alone), "a", List.of(node("a", "MASTER"), cutOff)));
        assertEquals(
                List.of("node a does not reach ZooKeeper"),
                FailoverReadiness.reasons(
                        facts(ALIVE, Election.UNREACHABLE), "a", List.of(node("a", "MASTER"), node("b", "STANDBY"))));
    }

    @Test
    void a_standby_that_has_lost_zookeeper_is_named_while_its_entry_still_stands() {
        PairState.Node whole = node("b", "STANDBY");
        PairState.Node cutOff = new PairState.Node(
                "b",
                whole.electionState(),
                whole.addresses(),
                new PairState.ConnectionStates("SUSPENDED", true, 100L),
                ARMED,
                MEANS,
                whole.build(),
                whole.firing(),
                null);
        assertEquals(List.of("standby b does not reach ZooKeeper"), reasons(node("a", "MASTER"), cutOff));
    }

    @Test
    void a_node_that_drains_is_a_standby_while_it_stands_in_the_election() {
        assertEquals(List.of(), reasons(node("a", "MASTER"), node("b", "DEMOTING")));
        Election alone = new Election(true, true, true, 1, 7, List.of("a"));
        assertEquals(
                List.of("there is no standby"),
                FailoverReadiness.reasons(
                        facts(ALIVE, alone), "a", List.of(node("a", "MASTER"), node("b", "DEMOTING"))),
                "it is about to stop");
    }

    @Test
    void a_master_that_does_not_fire_is_named() {
        PairState.Node whole = node("a", "MASTER");
        PairState.Node stalled = new PairState.Node(
                "a",
                whole.electionState(),
                whole.addresses(),
                whole.connections(),
                ARMED,
                MEANS,
                whole.build(),
                new PairState.Firing(23_000, "slots have been due for 23 s and none is claimed", 0, 0, 0, List.of()),
                null);
        assertEquals(
                List.of("master a does not fire: slots have been due for 23 s and none is claimed"),
                reasons(stalled, node("b", "STANDBY")));
    }

    @Test
    void a_takeover_that_is_not_armed_says_why() {
        PairState.Node unarmed =
                node("b", "STANDBY", MEANS, 13, new PairState.FastTakeoverState(false, "a pooler is in the way"), true);
        assertEquals(
                List.of("fast takeover is off on node b: a pooler is in the way"),
                reasons(node("a", "MASTER"), unarmed));
    }

    @Test
    void a_clock_that_is_off_by_more_than_a_second_is_named() {
        PairState.Node early = node("a", "MASTER", new PairState.NodeResources(16, 3, 0, 0, -1001), 13, ARMED, true);
        PairState.Node late = node("b", "STANDBY", new PairState.NodeResources(16, 3, 0, 0, 4200), 13, ARMED, true);
        PairState.Node right = node("b", "STANDBY", new PairState.NodeResources(16, 3, 0, 0, 1000), 13, ARMED, true);
        assertEquals(
                List.of(
                        "the clock of node a is 1001 ms ahead of the database's",
                        "the clock of node b is 4200 ms behind the database's"),
                reasons(early, late));
        assertEquals(List.of(), reasons(node("a", "MASTER"), right));
    }

    @Test
    void a_standby_that_could_not_carry_the_load_is_named() {
        PairState.Node small = node("b", "STANDBY", new PairState.NodeResources(4, 0, 0, 0, 0), 13, ARMED, true);
        assertEquals(List.of("standby b has 4 workers, but master a has 16"), reasons(node("a", "MASTER"), small));
        PairState.Node busy = node("b", "STANDBY", new PairState.NodeResources(16, 16, 0, 0, 0), 13, ARMED, true);
        assertEquals(List.of("all 16 workers of standby b are busy draining"), reasons(node("a", "MASTER"), busy));
    }

    @Test
    void a_rolling_upgrade_is_no_reason_since_each_node_keeps_to_what_the_schema_allows() {
        assertEquals(List.of(), reasons(node("a", "MASTER"), node("b", "STANDBY", MEANS, 14, ARMED, true)));
    }

    @Test
    void a_standby_that_the_schema_has_outgrown_is_named() {
        PairState.Node outgrown = node("b", "STANDBY", MEANS, 12, ARMED, true);
        assertEquals(
                List.of("standby b knows version 12 of the schema, but this database requires version 13"),
                reasons(node("a", "MASTER"), outgrown));
    }

    @Test
    void a_hold_and_a_missing_master_are_named() {
        TakeoverHold hold = new TakeoverHold(0, Long.MAX_VALUE, Long.MAX_VALUE, "kernel update", "bob");
        EpochRow held = new EpochRow(5, "a", UUID.randomUUID(), true, 100, 0, 0, 50, hold, null);
        assertEquals(
                List.of("there is no master", "automatic takeover is on hold by bob (kernel update)"),
                FailoverReadiness.reasons(
                        facts(held, BOTH_STAND), "a", List.of(node("a", "STANDBY"), node("b", "STANDBY"))));
    }

    @Test
    void a_master_without_heartbeat_is_not_called_missing() {
        EpochRow silent = new EpochRow(5, "a", UUID.randomUUID(), false, 17_000, 0, 0);
        assertEquals(
                List.of("master a records no heartbeat"),
                FailoverReadiness.reasons(
                        facts(silent, BOTH_STAND), "a", List.of(node("a", "MASTER"), node("b", "STANDBY"))));
    }
}
