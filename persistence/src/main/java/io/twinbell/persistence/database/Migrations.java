package io.twinbell.persistence.database;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Arrays;
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
     * meanwhile.
     *
     * @throws WrongSchemaException if the schema has outgrown this build, or was made by other migrations
     * @throws SchemaBusyException if a table was in use for too long; the migrations before that one are done
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
        Flyway look = flyway(usual);
        int known = newestKnown(look);
        refuseOutgrown(look, known, usual);
        Flyway flyway = look.info().pending().length == 0 ? look : flyway(patient);
        try {
            flyway.migrate();
        } catch (FlywayValidateException e) {
            throw new WrongSchemaException("the database's schema was not made by this build's migrations: "
                    + e.getMessage().lines().limit(3).collect(Collectors.joining(" ")));
        } catch (FlywayException e) {
            throw isLockTimeout(e)
                    ? new SchemaBusyException(
                            "a table that a migration changes is in use: somebody's transaction is long", e)
                    : e;
        }
        return version(flyway, known);
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
                .callbacks(new GiveWay())
                .initSql(DatabaseSettings.ENDS_WITH_ITS_CLIENT)
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

    private static boolean isLockTimeout(Throwable thrown) {
        for (Throwable cause = thrown; cause != null; cause = cause.getCause()) {
            if (cause instanceof SQLException sql && LOCK_NOT_AVAILABLE.equals(sql.getSQLState())) {
                return true;
            }
        }
        return false;
    }
}
