package io.twinbell.daemon.survey;

/**
 * What the schema records about the pair.
 *
 * @param schema the version of the schema; null if there is none yet, and then nothing else is known
 * @param oldestBuild the migration that a build must know to run on the schema; 0 if the schema is too old to
 *     record it
 * @param clusterName null if no node has joined yet
 * @param clusterId the random id that the database got when its schema was created; null without a schema
 * @param recordedSystem the system identifier of the server that the database was recorded on; null if none was
 * @param presentSystem the system identifier of this server; null if the role may not read it
 * @param master the node whose heartbeat is less than four seconds old; null if there is none
 */
public record PairFacts(
        String schema,
        int oldestBuild,
        String clusterName,
        String clusterId,
        String recordedSystem,
        String presentSystem,
        String master) {
    /** No schema exists. */
    static final PairFacts NONE = new PairFacts(null, 0, null, null, null, null, null);

    /** Whether the database was recorded on another server. */
    public boolean isMoved() {
        return recordedSystem != null && presentSystem != null && !recordedSystem.equals(presentSystem);
    }
}
