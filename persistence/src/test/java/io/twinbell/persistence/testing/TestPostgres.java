package io.twinbell.persistence.testing;

import io.twinbell.persistence.database.Migrations;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.postgresql.ds.PGSimpleDataSource;
import org.testcontainers.postgresql.PostgreSQLContainer;
import org.testcontainers.utility.DockerImageName;

/**
 * One real PostgreSQL for all tests of a JVM, and a fresh migrated database for each test that asks. Embedded binaries
 * by default; {@code -Dtwinbell.test.postgres=container} takes an image through Testcontainers instead
 * ({@code -Dtwinbell.test.postgres.image=…} names it).
 */
public final class TestPostgres {
    /** A database is not used again if a session lasts longer. */
    private static final Duration SESSIONS_MAY_TAKE = Duration.ofMillis(100);

    private static final AtomicInteger DATABASES = new AtomicInteger();
    private static final PGSimpleDataSource ADMIN = start();
    private static final BlankState BLANK = readTemplate();

    private TestPostgres() {}

    private static BlankState readTemplate() {
        try {
            return BlankState.of(named(MigratedServer.DATABASE));
        } catch (SQLException e) {
            throw new IllegalStateException("the template of the test databases cannot be read", e);
        }
    }

    /**
     * A database with the current schema and nothing in it, for the test or the class that asks. It may be one that an
     * earlier test has left, with an unchanged schema and without a session.
     */
    public static synchronized PGSimpleDataSource freshDatabase() {
        PGSimpleDataSource database = returnedDatabase().orElseGet(TestPostgres::newDatabase);
        DatabaseLeases.lease(database);
        return database;
    }

    /** It has a new name, which tests use for what belongs to one database, as a path in ZooKeeper does. */
    private static Optional<PGSimpleDataSource> returnedDatabase() {
        for (var next = DatabaseLeases.next(); next.isPresent(); next = DatabaseLeases.next()) {
            PGSimpleDataSource former = next.get();
            PGSimpleDataSource renamed = named(nextName());
            if (hasNoSession(former)) {
                execute(
                        ADMIN,
                        "alter database " + former.getDatabaseName() + " rename to " + renamed.getDatabaseName());
                if (BLANK.restoreIfUnchanged(renamed)) {
                    return Optional.of(renamed);
                }
            }
        }
        return Optional.empty();
    }

    /** Sessions end shortly after they were closed. */
    private static boolean hasNoSession(PGSimpleDataSource database) {
        long deadline = System.nanoTime() + SESSIONS_MAY_TAKE.toNanos();
        try {
            KeptSessions.end(database);
            return KeptSessions.with(ADMIN, session -> {
                try (var sessions = session.prepareStatement("select from pg_stat_activity where datname = ?")) {
                    sessions.setString(1, database.getDatabaseName());
                    boolean exist = true;
                    while (exist && System.nanoTime() < deadline) {
                        try (var rows = sessions.executeQuery()) {
                            exist = rows.next();
                        }
                    }
                    return !exist;
                }
            });
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    private static String nextName() {
        return "twinbell_" + DATABASES.incrementAndGet();
    }

    private static PGSimpleDataSource newDatabase() {
        String name = nextName();
        execute(ADMIN, "create database " + name + " template " + MigratedServer.DATABASE);
        return named(name);
    }

    /** Removes the rows that a test has put into a database with the current schema. Sequences continue. */
    public static void clear(PGSimpleDataSource database) {
        BLANK.restoreRows(database);
    }

    /** A new database without any schema. */
    public static synchronized PGSimpleDataSource emptyDatabase() {
        String name = nextName();
        execute(ADMIN, "create database " + name);
        return named(name);
    }

    public static void execute(DataSource database, String sql) {
        try {
            KeptSessions.with(database, session -> {
                try (Statement statement = session.createStatement()) {
                    return statement.execute(sql);
                }
            });
        } catch (SQLException e) {
            throw new IllegalStateException(sql, e);
        }
    }

    private static PGSimpleDataSource named(String database) {
        PGSimpleDataSource source = new PGSimpleDataSource();
        source.setServerNames(ADMIN.getServerNames());
        source.setPortNumbers(ADMIN.getPortNumbers());
        source.setUser(ADMIN.getUser());
        source.setPassword(ADMIN.getPassword());
        source.setDatabaseName(database);
        return source;
    }

    private static PGSimpleDataSource start() {
        return switch (System.getProperty("twinbell.test.postgres", "embedded")) {
            case "embedded" -> startEmbedded();
            case "container" -> startContainer();
            default ->
                throw new IllegalArgumentException("twinbell.test.postgres must be \"embedded\" or \"container\"");
        };
    }

    private static PGSimpleDataSource startEmbedded() {
        try {
            Path data = Files.createTempDirectory("twinbell-postgres");
            MigratedServer.copyTo(data);
            EmbeddedPostgres server = MigratedServer.on(data)
                    .setServerConfig("max_connections", "300")
                    // It would change the statistics of databases that are copied or used again.
                    .setServerConfig("autovacuum_naptime", "1d")
                    .setRegisterShutdownHook(false)
                    .start();
            Runtime.getRuntime().addShutdownHook(new Thread(() -> remove(server, data), "remove-postgres"));
            return (PGSimpleDataSource) server.getPostgresDatabase();
        } catch (IOException e) {
            throw new UncheckedIOException("the embedded PostgreSQL did not start", e);
        }
    }

    private static void remove(EmbeddedPostgres server, Path data) {
        try {
            server.close();
            MigratedServer.delete(data);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static PGSimpleDataSource startContainer() {
        String image = System.getProperty("twinbell.test.postgres.image", "postgres:17");
        PostgreSQLContainer container =
                new PostgreSQLContainer(DockerImageName.parse(image).asCompatibleSubstituteFor("postgres"));
        container.withCommand("postgres", "-c", "max_connections=300");
        container.start();
        Runtime.getRuntime().addShutdownHook(new Thread(container::stop, "stop-postgres-container"));
        PGSimpleDataSource source = new PGSimpleDataSource();
        source.setUrl(container.getJdbcUrl());
        source.setUser(container.getUsername());
        source.setPassword(container.getPassword());
        execute(source, "create database " + MigratedServer.DATABASE);
        source.setDatabaseName(MigratedServer.DATABASE);
        Migrations.migrate(source);
        source.setDatabaseName(container.getDatabaseName());
        return source;
    }
}
