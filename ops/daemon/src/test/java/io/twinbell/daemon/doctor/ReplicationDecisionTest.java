package io.twinbell.daemon.doctor;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.twinbell.daemon.doctor.Findings.Level;
import io.twinbell.node.pair.host.HostFacts;
import io.twinbell.node.pair.host.HostFacts.Replica;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

class ReplicationDecisionTest {
    private static final Replica ASYNC = new Replica("r1", "streaming", "async", 4096);
    private static final Replica SYNC = new Replica("r2", "streaming", "sync", 0);
    private static final Replica UNREADABLE = new Replica("r3", null, null, -1);

    private final Findings findings = new Findings();

    @Test
    void a_single_server_without_a_replica_is_no_fault_and_its_risk_is_said() {
        decide("primary", primary("one:5432", 1, ""));
        assertEquals(Level.OK, findings.worst());
        assertTrue(said().contains("all data since the last backup"), said());
    }

    @Test
    void two_servers_that_take_writes_are_a_failure_that_names_both() {
        decide("primary", primary("one:5432", 1, ""), primary("two:5432", 2, ""));
        assertTrue(
                said().contains("FAIL 2 servers accept writes: one:5432 on timeline 1, two:5432 on timeline 2"),
                said());
    }

    @Test
    void several_hosts_need_a_target_server_type() {
        decide(null, primary("one:5432", 1, "", ASYNC), replica("two:5432"));
        assertTrue(said().contains("WARN database.url names 2 hosts and no targetServerType"), said());
        assertTrue(said().contains("OK two:5432 is a replica on timeline 1"), said());
    }

    @Test
    void any_server_is_not_the_primary() {
        decide("any", primary("one:5432", 1, "", ASYNC), replica("two:5432"));
        assertTrue(said().contains("WARN database.url names 2 hosts and targetServerType=any"), said());
    }

    @Test
    void a_host_that_gives_no_answer_is_named_with_the_reason() {
        decide("primary", primary("one:5432", 1, "", ASYNC), new HostFacts("two:5432", "connection refused", null));
        assertTrue(said().contains("WARN two:5432 does not answer: connection refused"), said());
    }

    @Test
    void two_hosts_of_one_server_are_one_primary() {
        HostFacts one = primary("one:5432", 1, "", ASYNC);
        decide("primary", one, new HostFacts("writer:5432", null, one.state()));
        assertEquals(Level.WARN, findings.worst(), "only that commits do not wait for the replica: " + said());
    }

    @Test
    void hosts_of_different_systems_are_a_failure() {
        decide(
                "primary",
                primary("one:5432", 1, ""),
                new HostFacts("two:5432", null, new HostFacts.State(false, 1, "8", "two:5432", 0, "", List.of())));
        assertTrue(said().contains("FAIL the hosts belong to different database systems: 7, 8"), said());
    }

    @Test
    void a_failover_loses_nothing_where_commits_wait_for_a_replica() {
        decide("primary", primary("one:5432", 1, "r2", SYNC, ASYNC));
        assertEquals(Level.OK, findings.worst());
        assertTrue(said().contains("a failover loses no confirmed commit"), said());
    }

    @Test
    void a_failover_of_an_asynchronous_replica_loses_what_the_nearest_one_lacks() {
        decide("primary", primary("one:5432", 1, "", ASYNC, new Replica("r4", "streaming", "async", 512)));
        assertTrue(said().contains("loses the last 512 bytes"), said());
        assertEquals(Level.WARN, findings.worst());
    }

    @Test
    void commits_that_wait_for_nobody_who_is_there_are_a_failure() {
        decide("primary", primary("one:5432", 1, "r2"), replica("two:5432"));
        assertTrue(said().contains("FAIL synchronous_standby_names is 'r2' and no replica is attached"), said());
        decide("primary", primary("one:5432", 1, "r2", ASYNC));
        assertTrue(said().contains("FAIL r1 is streaming (async), 4096 bytes behind; none of them is in"), said());
    }

    @Test
    void a_role_that_may_not_read_the_replicas_is_told_how_it_could() {
        decide("primary", primary("one:5432", 1, "", UNREADABLE));
        assertTrue(said().contains("grant pg_monitor"), said());
    }

    private void decide(String targetServerType, HostFacts... hosts) {
        ReplicationDecision.hosts(List.of(hosts), targetServerType, findings);
    }

    private static HostFacts primary(String host, long timeline, String synchronous, Replica... replicas) {
        return new HostFacts(
                host, null, new HostFacts.State(true, timeline, "7", host, 9000, synchronous, List.of(replicas)));
    }

    private static HostFacts replica(String host) {
        return new HostFacts(host, null, new HostFacts.State(false, 1, "7", host, 8000, "", List.of()));
    }

    private String said() {
        return findings.all().stream()
                .map(finding -> finding.level() + " " + finding.said())
                .collect(Collectors.joining("\n"));
    }
}
