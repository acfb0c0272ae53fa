package io.twinbell.persistence.database;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Arrays;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import javax.sql.DataSource;
import org.flywaydb.core.Flyway;
import org.flywaydb.core.api.FlywayException;
import org.flywaydb.core.api.MigrationInfo;
import org.flywaydb.core.api.callback.Callback;
import org.flywaydb.core.api.callback.Context;
import org.flywaydb.core.api.callback.Event;
import org.flywaydb.core.api.exception.FlywayValidateException;

/**
 * Migrates the schema to this build's version. A schema of a newer build is used unchanged if it
 * permits this build, and refused otherwise.
 */
public final class Migrations {
    static final String LOCATION = "classpath:io/twinbell/persistence/migrations";

    private static final String LOCK_NOT_AVAILABLE = "55P03";

    /**
     * Limits a migration's waits for locks to half a second, because every other statement on that table waits behind
     * it, including those of a master that fires.
     */
    private static final Callback LIMIT_WAITS =
            new EachMigration(Event.BEFORE_EACH_MIGRATE, "set local lock_timeout = '500ms'", "limit lock waits");

    /** Gives nodes that do not own the schema their rights on what a migration created. */
    private static final Callback GRANT = new EachMigration(Event.AFTER_EACH_MIGRATE, """
            do $$ begin
              if to_regprocedure('twinbell.grant_to_nodes()') is not null then
                perform twinbell.grant_to_nodes();
              end if;
            end $$""", "grant to nodes");

    private Migrations() {}

    /** Runs a statement before or after each migration, in the migration's own transaction. */
    private record EachMigration(Event when, String statement, String name) implements Callback {
        @Override
        public boolean supports(Event event, Context context) {
            return event == when;
        }

        @Override
        public boolean canHandleInTransaction(Event event, Context context) {
            return true;
        }

        @Override
        public void handle(Event event, Context context) {
            try (Statement sql = context.getConnection().createStatement()) {
                sql.execute(statement);
            } catch (SQLException e) {
                throw new FlywayException(e);
            }
        }

        @Override
        public String getCallbackName() {
            return name;
        }
    }

    /**
     * Migrates the schema. Two nodes may call this at once: Flyway lets one migrate while the other waits. An older
     * build may be master meanwhile. Each migration is one transaction, so the schema always has a complete version.
     *
     * @throws WrongSchemaException if the database cannot hold the schema, if the schema is too new for this build
     *     or was made by other migrations, or if a migration fails and would fail again
     * @throws SchemaBusyException if it may succeed later: a table was in use for too long, the server became
     *     unreachable, or another role owns the schema and has not migrated it yet
     */
    public static SchemaVersion migrate(DataSource dataSource) {
        return migrate(SchemaName.DEFAULT, dataSource, dataSource);
    }

    /**
     * Migrates with a separate data source for migrations, because most starts have nothing to migrate.
     *
     * @param schema that of both data sources
     * @param usual reads the schema, with time limits
     * @param patient runs migrations
     */
    public static SchemaVersion migrate(SchemaName schema, DataSource usual, DataSource patient) {
        ClassLoader loader = classLoader();
        // Reading the files takes a young process a tenth of a second, as long as opening a session and the checks.
        CompletableFuture<AppliedMigrations> ofThisBuild =
                CompletableFuture.supplyAsync(() -> AppliedMigrations.ofThisBuild(loader));
        PoolerCheck.refuseByTransaction(usual);
        examine(usual);
        Optional<SchemaVersion> complete = ofThisBuild.join().complete(usual);
        if (complete.isPresent()) {
            return complete.get();
        }
        try {
            Flyway look = flyway(schema, usual);
            int known = newestKnown(look);
            // Checked first: a schema that other files made says nothing about the builds that may use it.
            ofThisBuild.join().foreign(usual).ifPresent(script -> {
                throw notOurs(schema, "it has " + script);
            });
            refuseOutgrown(look, known, usual);
            boolean isOlder = look.info().pending().length > 0;
            if (isOwnedByAnother(usual)) {
                if (isOlder) {
                    throw new SchemaBusyException(ofAnother(look, known), null);
                }
                look.validate();
                return version(look, known);
            }
            Flyway flyway = isOlder ? flyway(schema, patient) : look;
            flyway.migrate();
            return version(flyway, known);
        } catch (FlywayValidateException e) {
            throw notOurs(schema, e.getMessage().lines().limit(3).collect(Collectors.joining(" ")));
        } catch (FlywayException e) {
            throw failed(e, schema, usual);
        }
    }

    private static boolean isOwnedByAnother(DataSource dataSource) {
        try (Connection connection = dataSource.getConnection()) {
            return DatabaseRequirements.isOwnedByAnother(connection);
        } catch (SQLException e) {
            throw new DatabaseUnavailableException("read who owns the schema", e);
        }
    }

    private static String ofAnother(Flyway flyway, int known) {
        return "it has version " + flyway.info().current().getVersion().getVersion() + ", this build needs version "
                + known + ", and this role does not own it; run 'twinbell init-db' with the login of its owner"
                + " (database.owner.user)";
    }

    /**
     * Checked before anything is created, because an incomplete schema looks the same as one that is being
     * created.
     */
    private static void examine(DataSource dataSource) {
        try (Connection connection = dataSource.getConnection()) {
            Optional<String> readOnly = DatabaseRequirements.takesNoWrites(connection);
            if (readOnly.isPresent()) {
                throw new SchemaBusyException(
                        "the server accepts no writes: " + readOnly.get() + "; database.url must point to the primary",
                        null);
            }
            DatabaseRequirements.require(connection);
        } catch (SQLException e) {
            throw new DatabaseUnavailableException("check the database", e);
        }
    }

    private static RuntimeException failed(FlywayException failure, SchemaName schema, DataSource dataSource) {
        SQLException cause = sqlCause(failure);
        if (cause == null) {
            return new WrongSchemaException("the schema cannot be migrated: " + firstLine(failure), failure);
        }
        if (LOCK_NOT_AVAILABLE.equals(cause.getSQLState())) {
            return new SchemaBusyException(
                    "a migration waits too long for a table that a long transaction uses", failure);
        }
        String said = "a migration failed: " + firstLine(cause) + " (SQLSTATE " + cause.getSQLState() + ", "
                + firstLine(failure) + "); " + reached(schema, dataSource);
        return new DatabaseUnavailableException("migrate", cause).isTransient()
                ? new SchemaBusyException(said, failure)
                : new WrongSchemaException(said, failure);
    }

    /** The complete version that the schema has in spite of the failure. */
    private static String reached(SchemaName schema, DataSource dataSource) {
        try {
            MigrationInfo current = flyway(schema, dataSource).info().current();
            return current == null
                    ? "nothing was created"
                    : "the schema keeps version " + current.getVersion().getVersion()
                            + "; the node continues the migration once the cause is removed";
        } catch (FlywayException e) {
            return "the version of the schema cannot be read now";
        }
    }

    private static String firstLine(Throwable thrown) {
        return DatabaseUrl.masked(
                String.valueOf(thrown.getMessage()).lines().findFirst().orElse(""));
    }

    /** The number of the newest migration that this build knows. The database is only read. */
    public static int newest(SchemaName schema, DataSource dataSource) {
        return newestKnown(flyway(schema, dataSource));
    }

    /**
     * Only Twinbell's own location is read: an application's Flyway does not find these migrations, and this one does
     * not find the application's.
     */
    private static Flyway flyway(SchemaName schema, DataSource dataSource) {
        return Flyway.configure(classLoader())
                .dataSource(dataSource)
                .schemas(schema.name())
                .createSchemas(true)
                .locations(LOCATION)
                .loggers("slf4j")
                .callbacks(LIMIT_WAITS, GRANT)
                .load();
    }

    /** The thread's class loader may belong to another application of the same server that lacks these migrations. */
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

    private static WrongSchemaException notOurs(SchemaName schema, String difference) {
        return new WrongSchemaException("the schema " + schema.name()
                + " was not created by this build's migrations, but for example"
                + " by a snapshot before 1.0, whose databases are not migrated: drop the schema " + schema.name()
                + ", or use an empty"
                + " database (" + difference + ")");
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
            throw new DatabaseUnavailableException("read which builds may use the schema", e);
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
