package io.twinbell.persistence.database;

/**
 * Which schema the database has, and which this build was made for. During a rolling upgrade the one is ahead of the
 * other.
 *
 * @param database the number of the newest migration that the database has
 * @param known the number of the newest migration that this build knows
 */
public record SchemaVersion(String database, int known) {
    /**
     * @param oldestBuild what the schema says of itself: which migration a build must know to run on it
     * @throws WrongSchemaException if this build does not
     */
    public void refuseIfOlderThan(int oldestBuild) {
        if (known < oldestBuild) {
            throw new WrongSchemaException("on the database's schema only builds may run that know its version "
                    + oldestBuild + ", and this one knows " + known + ": upgrade this node before it may join");
        }
    }
}
