package io.twinbell.persistence.testing;

import io.twinbell.persistence.database.Migrations;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.postgresql.ds.PGSimpleDataSource;
import org.testcontainers.postgresql.PostgreSQLContainer;
import org.testcontainers.utility.DockerImageName;

/**
 * One real PostgreSQL for all tests of a JVM, and a fresh migrated database for each test that asks. Embedded binaries
 * by default; {@code -Dtwinbell.test.postgres=container} takes an image through Testcontainers instead
 * ({@code -Dtwinbell.test.postgres.image=…} names it).
 */
public final class TestPostgres {
    /** The default of 10 s is too short on a busy disk. */
    private static final Duration START_LIMIT = Duration.ofMinutes(1);

    private static final String TEMPLATE = "twinbell_template";
    private static final AtomicInteger DATABASES = new AtomicInteger();
    private static final PGSimpleDataSource ADMIN = start();

    static {
        execute(ADMIN, "create database " + TEMPLATE);
        Migrations.migrate(named(TEMPLATE));
    }

    private TestPostgres() {}

    /** A new database with the current schema and nothing in it. */
    public static synchronized PGSimpleDataSource freshDatabase() {
        String name = "twinbell_" + DATABASES.incrementAndGet();
        execute(ADMIN, "create database " + name + " template " + TEMPLATE);
        return named(name);
    }

    /** A new database without any schema. */
    public static synchronized PGSimpleDataSource emptyDatabase() {
        String name = "twinbell_" + DATABASES.incrementAndGet();
        execute(ADMIN, "create database " + name);
        return named(name);
    }

    public static void execute(PGSimpleDataSource database, String sql) {
        try (Connection connection = database.getConnection();
                var statement = connection.createStatement()) {
            statement.execute(sql);
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
            EmbeddedPostgres server = EmbeddedPostgres.builder()
                    .setServerConfig("max_connections", "300")
                    .setPGStartupWait(START_LIMIT)
                    .start();
            return (PGSimpleDataSource) server.getPostgresDatabase();
        } catch (IOException e) {
            throw new UncheckedIOException("the embedded PostgreSQL did not start", e);
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
        return source;
    }
}
