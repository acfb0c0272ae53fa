package io.twinbell.node.pair.host;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * One of the servers that a database URL names.
 *
 * @param host name and port as in the URL
 * @param trouble why it did not answer; null if it did
 * @param state null if it did not answer
 */
public record HostFacts(String host, String trouble, State state) {
    /**
     * The state that a server reports.
     *
     * @param isPrimary whether it is not in recovery
     * @param timeline 0 if the role may not read it
     * @param system the system identifier, which a server shares with its replicas; null if the role may not read
     *     it
     * @param server what no other server has, whichever host of the URL leads to it
     * @param position the bytes of write-ahead log that a primary has written, or a replica has applied, since the
     *     beginning
     * @param synchronousStandbys the setting {@code synchronous_standby_names}
     * @param replicas the connected replicas
     */
    public record State(
            boolean isPrimary,
            long timeline,
            String system,
            String server,
            long position,
            String synchronousStandbys,
            List<Replica> replicas) {
        public State {
            replicas = List.copyOf(replicas);
        }
    }

    /**
     * A replica as reported by its primary.
     *
     * @param state such as {@code streaming}; null if the role may not read it
     * @param synchronicity {@code sync}, {@code quorum}, {@code potential} or {@code async}; null if the role may
     *     not read it
     * @param bytesBehind the log that it has not written to disk yet; negative if unknown
     */
    public record Replica(String name, String state, String synchronicity, long bytesBehind) {
        /** Whether commits wait for this replica. */
        public boolean isSynchronous() {
            return "sync".equals(synchronicity) || "quorum".equals(synchronicity);
        }
    }

    static HostFacts silent(String host, String trouble) {
        return new HostFacts(host, trouble, null);
    }

    /**
     * The servers that accept writes, each with the first of its hosts. Several hosts may lead to one server: a virtual
     * address and a writer endpoint stand beside the servers themselves.
     */
    public static List<HostFacts> primaries(List<HostFacts> hosts) {
        Map<String, HostFacts> byServer = new LinkedHashMap<>();
        hosts.stream()
                .filter(HostFacts::isPrimary)
                .forEach(host -> byServer.putIfAbsent(host.state().server(), host));
        return List.copyOf(byServer.values());
    }

    /** Whether the server answered and is not in recovery. */
    public boolean isPrimary() {
        return state != null && state.isPrimary();
    }
}
