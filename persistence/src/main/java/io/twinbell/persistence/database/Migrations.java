package io.twinbell.persistence.database;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Arrays;
import java.util.Optional;
import java.util.stream.Collectors;
import javax.sql.DataSource;
import org.flywaydb.core.Flyway;
import org.flywaydb.core.api.FlywayException;
import org.flywaydb.core.api.MigrationInfo;
import org.flywaydb.core.api.exception.FlywayValidateException;

/**
 * Brings the schema {@code twinbell} to this build's version. A schema that a newer build has made is used as it is if it
 * says that this build may, and refused otherwise.
 */
public final class Migrations {
    static final String LOCATION = "classpath:io/twinbell/persistence/migrations";

    private static final String LOCK_NOT_AVAILABLE = "55P03";

    private Migrations() {}

    /**
     * Two nodes may call this at once: Flyway lets one migrate while the other waits. An older build may be master
     * meanwhile. Each migration is one transaction, so the schema has a whole version whatever happens.
     *
     * @throws WrongSchemaException if the database cannot carry the schema, if the schema has outgrown this build or was
     *     made by other migrations, or if a migration fails and would fail again
     * @throws SchemaBusyException if it may succeed later: a table was in use for too long, or the server went away
     */
    public static SchemaVersion migrate(DataSource dataSource) {
        return migrate(dataSource, dataSource);
    }

    /**
     * The same, where most starts have nothing to migrate.
     *
     * @param usual to look at the schema, with bounds for an answer
     * @param patient for migrations
     */
    public static SchemaVersion migrate(DataSource usual, DataSource patient) {
        PoolerCheck.refuseByTransaction(usual);
        examine(usual);
        try {
            Flyway look = flyway(usual);
            int known = newestKnown(look);
            refuseOutgrown(look, known, usual);
            Flyway flyway = look.info().pending().length == 0 ? look : flyway(patient);
            flyway.migrate();
            return version(flyway, known);
        } catch (FlywayValidateException e) {
            throw new WrongSchemaException("the database's schema was not made by this build's migrations: "
                    + e.getMessage().lines().limit(3).collect(Collectors.joining(" ")));
        } catch (FlywayException e) {
            throw failed(e, usual);
        }
    }

    /** Before anything is created: half of a schema could not be told from one that is being made. */
    private static void examine(DataSource dataSource) {
        try (Connection connection = dataSource.getConnection()) {
            Optional<String> readOnly = DatabaseRequirements.takesNoWrites(connection);
            if (readOnly.isPresent()) {
                throw new SchemaBusyException(
                        "the server takes no writes: " + readOnly.get() + "; database.url must lead to the primary",
                        null);
            }
            DatabaseRequirements.require(connection);
        } catch (SQLException e) {
            throw new DatabaseUnavailableException("look at the database", e);
        }
    }

    private static RuntimeException failed(FlywayException failure, DataSource dataSource) {
        SQLException cause = sqlCause(failure);
        if (cause == null) {
            return new WrongSchemaException("the schema cannot be migrated: " + firstLine(failure), failure);
        }
        if (LOCK_NOT_AVAILABLE.equals(cause.getSQLState())) {
            return new SchemaBusyException(
                    "a table that a migration changes is in use: somebody's transaction is long", failure);
        }
        String said = "a migration failed: " + firstLine(cause) + " (SQLSTATE " + cause.getSQLState() + ", "
                + firstLine(failure) + "); " + reached(dataSource);
        return new DatabaseUnavailableException("migrate", cause).isOfTheMoment()
                ? new SchemaBusyException(said, failure)
                : new WrongSchemaException(said, failure);
    }

    /** The whole version that the schema has in spite of the failure. */
    private static String reached(DataSource dataSource) {
        try {
            MigrationInfo current = flyway(dataSource).info().current();
            return current == null
                    ? "nothing was created"
                    : "the schema keeps version " + current.getVersion().getVersion()
                            + ", and the node migrates on from it once the cause is removed";
        } catch (FlywayException e) {
            return "the version that the schema keeps cannot be read now";
        }
    }

    private static String firstLine(Throwable thrown) {
        return DatabaseUrl.masked(
                String.valueOf(thrown.getMessage()).lines().findFirst().orElse(""));
    }

    /** The number of the newest migration that this build knows; the database is only looked at. */
    public static int newest(DataSource dataSource) {
        return newestKnown(flyway(dataSource));
    }

    /**
     * The location is Twinbell's own, and no other is read: an application's Flyway does not find these migrations, and
     * this one does not find the application's.
     */
    private static Flyway flyway(DataSource dataSource) {
        return Flyway.configure(classLoader())
                .dataSource(dataSource)
                .schemas("twinbell")
                .createSchemas(true)
                .locations(LOCATION)
                .loggers("slf4j")
                .callbacks(new MigrationLockTimeout())
                .load();
    }

    /** The thread's own may belong to another application of the same server, and not have these migrations. */
    private static ClassLoader classLoader() {
        ClassLoader ofThread = Thread.currentThread().getContextClassLoader();
        return ofThread != null && hasThisClass(ofThread) ? ofThread : Migrations.class.getClassLoader();
    }

    private static boolean hasThisClass(ClassLoader loader) {
        try {
            return loader.loadClass(Migrations.class.getName()) == Migrations.class;
        } catch (ClassNotFoundException e) {
            return false;
        }
    }

    private static void refuseOutgrown(Flyway flyway, int known, DataSource dataSource) {
        MigrationInfo current = flyway.info().current();
        if (current != null
                && current.getState().isApplied()
                && !current.getState().isResolved()) {
            version(flyway, known).refuseIfOlderThan(oldestBuild(dataSource));
        }
    }

    private static int oldestBuild(DataSource dataSource) {
        try (Connection connection = dataSource.getConnection();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("select oldest_build from twinbell.cluster where id = 1")) {
            row.next();
            return row.getInt(1);
        } catch (SQLException e) {
            throw new DatabaseUnavailableException("the schema does not say which builds may use it", e);
        }
    }

    private static SchemaVersion version(Flyway flyway, int known) {
        return new SchemaVersion(flyway.info().current().getVersion().getVersion(), known);
    }

    private static int newestKnown(Flyway flyway) {
        return Arrays.stream(flyway.info().all())
                .filter(info -> info.getState().isResolved() && info.getVersion() != null)
                .mapToInt(info -> info.getVersion().getMajor().intValueExact())
                .max()
                .orElseThrow();
    }

    private static SQLException sqlCause(Throwable thrown) {
        for (Throwable cause = thrown; cause != null; cause = cause.getCause()) {
            if (cause instanceof SQLException sql) {
                return sql;
            }
        }
        return null;
    }
}
