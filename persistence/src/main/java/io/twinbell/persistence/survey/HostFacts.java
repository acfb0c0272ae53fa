package io.twinbell.persistence.survey;

import java.util.List;

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
     * @param position the bytes of write-ahead log that a primary has written, or a replica has applied, since the
     *     beginning
     * @param synchronousStandbys the setting {@code synchronous_standby_names}
     * @param replicas the connected replicas
     */
    public record State(
            boolean isPrimary,
            long timeline,
            String system,
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

    /** Whether the server answered and is not in recovery. */
    public boolean isPrimary() {
        return state != null && state.isPrimary();
    }
}
