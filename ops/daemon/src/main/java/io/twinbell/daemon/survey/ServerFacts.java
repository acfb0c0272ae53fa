package io.twinbell.daemon.survey;

/**
 * A PostgreSQL server as one session sees it.
 *
 * @param version as the server reports it, {@code 17.5}
 * @param versionNumber {@code 170005}
 * @param isReadOnly whether it accepts no writes, because it is a standby server or was configured so
 * @param unsafeSettings settings with which a committed transaction may be lost, each {@code name = value}; empty
 *     for none
 * @param database the name of the database
 */
public record ServerFacts(
        String version,
        int versionNumber,
        boolean isReadOnly,
        String unsafeSettings,
        ConnectionSlots connectionSlots,
        String database) {
    /**
     * Numbers of connections.
     *
     * @param max the server's maximum, without those reserved for superusers
     * @param used currently used, by all clients
     */
    public record ConnectionSlots(int max, int used) {}
}
