package io.twinbell.persistence.survey;

import java.util.List;

/**
 * One of the servers that a database URL names.
 *
 * @param host name and port as in the URL
 * @param trouble why it gave no answer; null if it gave one
 * @param state null if it gave none
 */
public record HostFacts(String host, String trouble, State state) {
    /**
     * What a server says of itself.
     *
     * @param isPrimary whether it is not in recovery
     * @param timeline 0 if the role may not read it
     * @param system the system identifier, which a server shares with its replicas; null if the role may not read it
     * @param position bytes of the write-ahead log that a primary has written, or a replica has applied, since the beginning
     * @param synchronousStandbys the setting {@code synchronous_standby_names}
     * @param replicas those that are attached to it
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
     * A replica as its primary sees it.
     *
     * @param state such as {@code streaming}; null if the role may not read it
     * @param synchronicity {@code sync}, {@code quorum}, {@code potential} or {@code async}; null as before
     * @param bytesBehind what it has not yet written to its disk; negative if that is unknown
     */
    public record Replica(String name, String state, String synchronicity, long bytesBehind) {
        /** Whether commits wait for it. */
        public boolean isSynchronous() {
            return "sync".equals(synchronicity) || "quorum".equals(synchronicity);
        }
    }

    static HostFacts silent(String host, String trouble) {
        return new HostFacts(host, trouble, null);
    }

    /** Whether it takes writes, as far as it says. */
    public boolean isPrimary() {
        return state != null && state.isPrimary();
    }
}
