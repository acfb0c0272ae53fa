package io.twinbell.persistence.database;

/** The database was migrated by a newer build than this one, which must not touch it. */
public final class SchemaTooNewException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    SchemaTooNewException(String version) {
        super("the database has schema version " + version
                + ", which this build does not know: upgrade this node before it may join");
    }
}
