package io.twinbell.persistence.survey;

/**
 * A PostgreSQL server as one session sees it.
 *
 * @param version as it calls itself, {@code 17.5}
 * @param versionNumber {@code 170005}
 * @param isReadOnly whether it takes no writes: it only follows another server, or somebody has made it so
 * @param unsafeSettings settings by which a committed transaction may be lost, each {@code name = value}; empty for none
 * @param database the name of the database
 */
public record ServerFacts(
        String version, int versionNumber, boolean isReadOnly, String unsafeSettings, Room room, String database) {
    /**
     * Connections.
     *
     * @param max what the server lets in, those for superusers left out
     * @param used at the moment, by anybody
     */
    public record Room(int max, int used) {}
}
