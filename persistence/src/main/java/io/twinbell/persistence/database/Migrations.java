package io.twinbell.persistence.database;

import javax.sql.DataSource;
import org.flywaydb.core.Flyway;
import org.flywaydb.core.api.MigrationInfo;

/** Brings the schema {@code twinbell} to this build's version, and refuses a database that a newer build has changed. */
public final class Migrations {
    private Migrations() {}

    /**
     * Two nodes may call this at once: Flyway lets one migrate while the other waits.
     *
     * @return the schema version that the database now has
     * @throws SchemaTooNewException if the database has a version that this build does not know
     */
    public static String migrate(DataSource dataSource) {
        Flyway flyway = Flyway.configure()
                .dataSource(dataSource)
                .schemas("twinbell")
                .createSchemas(true)
                .locations("classpath:db/migration")
                .load();
        refuseNewer(flyway);
        flyway.migrate();
        return flyway.info().current().getVersion().getVersion();
    }

    private static void refuseNewer(Flyway flyway) {
        MigrationInfo current = flyway.info().current();
        if (current != null
                && current.getState().isApplied()
                && !current.getState().isResolved()) {
            throw new SchemaTooNewException(current.getVersion().getVersion());
        }
    }
}
