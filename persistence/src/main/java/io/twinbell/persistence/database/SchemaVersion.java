package io.twinbell.persistence.database;

/**
 * The version of the database's schema, and the newest version that this build knows. They differ during a rolling
 * upgrade.
 *
 * @param database the number of the newest migration that the database has
 * @param known the number of the newest migration that this build knows
 */
public record SchemaVersion(String database, int known) {
    /**
     * @param oldestBuild the migration that a build must know to run on this schema, according to the schema
     * @throws WrongSchemaException if this build does not know it
     */
    public void refuseIfOlderThan(int oldestBuild) {
        if (known < oldestBuild) {
            throw new WrongSchemaException("the database's schema requires builds that know its version " + oldestBuild
                    + ", but this build knows only version " + known + ": upgrade this node");
        }
    }
}
