package io.twinbell.test;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.UUID;
import javax.sql.DataSource;
import org.postgresql.ds.PGSimpleDataSource;

/**
 * The database of a {@link TestPair}.
 *
 * @param password null for none
 */
public record TestDatabase(String url, String user, String password) {
    private static final int RANDOM_DIGITS = 12;

    /** Returns a data source without a pool, for the application under test and for the test's own statements. */
    public DataSource dataSource() {
        return driver();
    }

    private PGSimpleDataSource driver() {
        PGSimpleDataSource driver = new PGSimpleDataSource();
        driver.setUrl(url);
        driver.setUser(user);
        driver.setPassword(password);
        return driver;
    }

    /** Creates an empty database with a name of its own on the server of this one. */
    TestDatabase createNew() {
        PGSimpleDataSource created = driver();
        created.setDatabaseName(
                "twinbell_test_" + UUID.randomUUID().toString().replace("-", "").substring(0, RANDOM_DIGITS));
        execute("create database " + created.getDatabaseName());
        return new TestDatabase(created.getUrl(), user, password);
    }

    /** Drops a database that {@link #createNew} made, also if connections to it are open. */
    void drop(TestDatabase created) {
        execute("drop database if exists " + created.name() + " with (force)");
    }

    String name() {
        return driver().getDatabaseName();
    }

    NetworkAddress server() {
        PGSimpleDataSource driver = driver();
        return new NetworkAddress(driver.getServerNames()[0], driver.getPortNumbers()[0]);
    }

    /** The URL of the same database behind another address. */
    String urlBy(NetworkAddress address) {
        PGSimpleDataSource driver = driver();
        driver.setServerNames(new String[] {address.host()});
        driver.setPortNumbers(new int[] {address.port()});
        return driver.getUrl();
    }

    private void execute(String sql) {
        try (Connection connection = driver().getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        } catch (SQLException e) {
            throw new IllegalStateException(
                    "the statement \"" + sql + "\" at " + url + " as " + user + " failed: " + e.getMessage(), e);
        }
    }

    /** Omits the password. */
    @Override
    public String toString() {
        return "TestDatabase[url=" + url + ", user=" + user + "]";
    }
}
