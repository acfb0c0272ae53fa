package io.twinbell.persistence.survey;

/**
 * The pair as its schema knows it.
 *
 * @param schema the version of the schema; null if there is none yet, and then nothing else is known
 * @param oldestBuild which migration a build must know to run on it; 0 if it was made before that was recorded
 * @param clusterName null if no node has joined yet
 * @param clusterId the random id that the database was born with; null without a schema
 * @param recordedSystem the system identifier of the server that this database is known to be on; null if none has been
 *     recorded
 * @param presentSystem that of this server; null if the role may not read it
 * @param master the node whose heartbeat is under four seconds old; null if there is none
 */
public record PairFacts(
        String schema,
        int oldestBuild,
        String clusterName,
        String clusterId,
        String recordedSystem,
        String presentSystem,
        String master) {
    /** A schema that is not there. */
    static final PairFacts NONE = new PairFacts(null, 0, null, null, null, null, null);

    /** Whether the database has come to another server than the one it is known to be on. */
    public boolean isMoved() {
        return recordedSystem != null && presentSystem != null && !recordedSystem.equals(presentSystem);
    }
}
