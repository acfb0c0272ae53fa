package io.twinbell.persistence.database;

import java.util.Arrays;
import java.util.Comparator;
import java.util.Objects;
import java.util.stream.Collectors;
import javax.sql.DataSource;
import org.flywaydb.core.Flyway;
import org.flywaydb.core.api.MigrationInfo;
import org.flywaydb.core.api.exception.FlywayValidateException;

/** Brings the schema {@code twinbell} to this build's version, and refuses a database that a newer build has changed. */
public final class Migrations {
    private Migrations() {}

    /**
     * Two nodes may call this at once: Flyway lets one migrate while the other waits.
     *
     * @return the schema version that the database now has
     * @throws WrongSchemaException if the database was migrated by a newer build, or by one whose migrations differ
     */
    public static String migrate(DataSource dataSource) {
        Flyway flyway = flyway(dataSource);
        refuseNewer(flyway);
        try {
            flyway.migrate();
        } catch (FlywayValidateException e) {
            throw new WrongSchemaException("the database's schema was not made by this build's migrations: "
                    + e.getMessage().lines().limit(3).collect(Collectors.joining(" ")));
        }
        return flyway.info().current().getVersion().getVersion();
    }

    /** The schema version that this build makes; the database is only looked at. */
    public static String newest(DataSource dataSource) {
        return Arrays.stream(flyway(dataSource).info().all())
                .filter(migration -> migration.getState().isResolved())
                .map(MigrationInfo::getVersion)
                .filter(Objects::nonNull)
                .max(Comparator.naturalOrder())
                .orElseThrow()
                .getVersion();
    }

    private static Flyway flyway(DataSource dataSource) {
        return Flyway.configure()
                .dataSource(dataSource)
                .schemas("twinbell")
                .createSchemas(true)
                .locations("classpath:db/migration")
                .load();
    }

    private static void refuseNewer(Flyway flyway) {
        MigrationInfo current = flyway.info().current();
        if (current != null
                && current.getState().isApplied()
                && !current.getState().isResolved()) {
            throw new WrongSchemaException(
                    "the database has schema version " + current.getVersion().getVersion()
                            + ", which this build does not know: upgrade this node before it may join");
        }
    }
}
