package io.twinbell.daemon.doctor;

import io.twinbell.node.pair.host.HostFacts;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;

/** Evaluates the servers of a database for a pair, and what a failover of the database would lose: pure decisions. */
final class ReplicationDecision {
    private static final String HOSTS = "database hosts";
    private static final String REPLICATION = "replication";

    private ReplicationDecision() {}

    /** @param targetServerType the value in the URL; null if it has none */
    static void hosts(List<HostFacts> hosts, String targetServerType, Findings findings) {
        if (hosts.size() > 1) {
            hosts.forEach(host -> host(host, findings));
            if (!"primary".equals(targetServerType) && !"master".equals(targetServerType)) {
                findings.warn(
                        HOSTS,
                        "database.url names " + hosts.size() + " hosts and "
                                + (targetServerType == null
                                        ? "no targetServerType"
                                        : "targetServerType=" + targetServerType)
                                + ": a session may reach a replica, which accepts no writes",
                        "add targetServerType=primary to database.url");
            }
        }
        systems(hosts, findings);
        List<HostFacts> primaries = HostFacts.primaries(hosts);
        if (primaries.size() > 1) {
            twoPrimaries(primaries, findings);
        }
        primaries.forEach(primary -> primary(primary, findings));
    }

    private static void host(HostFacts host, Findings findings) {
        if (host.state() == null) {
            findings.warn(
                    HOSTS,
                    host.host() + " does not answer: " + host.trouble(),
                    "start it, or remove it from database.url");
            return;
        }
        findings.ok(HOSTS, host.host() + " is a " + (host.isPrimary() ? "primary" : "replica") + timeline(host));
    }

    private static String timeline(HostFacts host) {
        long timeline = host.state().timeline();
        return timeline == 0 ? "" : " on timeline " + timeline;
    }

    private static void systems(List<HostFacts> hosts, Findings findings) {
        List<String> systems = hosts.stream()
                .filter(host -> host.state() != null)
                .map(host -> host.state().system())
                .filter(Objects::nonNull)
                .distinct()
                .toList();
        if (systems.size() > 1) {
            findings.fail(
                    HOSTS,
                    "the hosts belong to different database systems: " + String.join(", ", systems),
                    "name a primary and its replicas only");
        }
    }

    private static void twoPrimaries(List<HostFacts> primaries, Findings findings) {
        findings.fail(
                HOSTS,
                primaries.size() + " servers accept writes: "
                        + primaries.stream()
                                .map(host -> host.host() + timeline(host))
                                .collect(Collectors.joining(", "))
                        + ". Commits of one are missing on the other",
                "stop the one with the lower timeline and make it a replica again (pg_rewind or pg_basebackup)");
    }

    private static void primary(HostFacts primary, Findings findings) {
        HostFacts.State state = primary.state();
        boolean isSynchronous = !state.synchronousStandbys().isBlank();
        if (isSynchronous && state.replicas().isEmpty()) {
            findings.fail(
                    REPLICATION,
                    "synchronous_standby_names is '" + state.synchronousStandbys()
                            + "' and no replica is attached: every commit waits",
                    "attach the replica, or remove its name from synchronous_standby_names and reload");
        } else if (state.replicas().isEmpty()) {
            findings.ok(
                    REPLICATION,
                    "no replica is attached: if this server is lost, all data since the last backup is lost");
        } else if (isSynchronous && isAnySynchronous(state)) {
            findings.ok(REPLICATION, describe(state) + "; a failover loses no confirmed commit");
        } else if (isSynchronous) {
            findings.fail(
                    REPLICATION,
                    describe(state) + "; none of them is in synchronous_standby_names, '" + state.synchronousStandbys()
                            + "': every commit waits",
                    "attach the named replica, or correct synchronous_standby_names and reload");
        } else {
            findings.warn(
                    REPLICATION,
                    describe(state) + "; commits do not wait for it, so a failover of the database loses " + loss(state)
                            + ", and lost runs run again",
                    "set synchronous_standby_names if no run may repeat");
        }
    }

    /** A role that is not a member of pg_monitor cannot see the state of replicas; the setting is believed then. */
    private static boolean isAnySynchronous(HostFacts.State state) {
        return state.replicas().stream()
                .anyMatch(replica -> replica.isSynchronous() || replica.synchronicity() == null);
    }

    private static String loss(HostFacts.State state) {
        long least = state.replicas().stream()
                .mapToLong(HostFacts.Replica::bytesBehind)
                .filter(bytes -> bytes >= 0)
                .min()
                .orElse(-1);
        if (least < 0) {
            return "the commits that the replica has not received (grant pg_monitor to the role to see how many bytes)";
        }
        return least == 0 ? "nothing at this moment, and later the commits under way" : "the last " + least + " bytes";
    }

    private static String describe(HostFacts.State state) {
        List<String> replicas = new ArrayList<>();
        for (HostFacts.Replica replica : state.replicas()) {
            replicas.add(replica.name()
                    + (replica.state() == null ? "" : " is " + replica.state())
                    + (replica.synchronicity() == null ? "" : " (" + replica.synchronicity() + ")")
                    + (replica.bytesBehind() > 0 ? ", " + replica.bytesBehind() + " bytes behind" : ""));
        }
        return String.join("; ", replicas);
    }
}
