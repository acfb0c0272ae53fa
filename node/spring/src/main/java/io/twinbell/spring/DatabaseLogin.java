package io.twinbell.spring;

import com.zaxxer.hikari.HikariDataSource;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import javax.sql.DataSource;
import org.postgresql.ds.common.BaseDataSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.util.ClassUtils;

/**
 * The login of the node's own connections. The node has its own pool, because its sessions hold locks and must not wait
 * for a connection of the application's pool.
 */
record DatabaseLogin(String url, String user, String password) {
    private static final Logger LOG = LoggerFactory.getLogger(DatabaseLogin.class);

    private static final String FIRST_SCHEMA =
            "select replace(btrim(split_part(current_setting('search_path'), ',', 1), ' \"'), '$user', current_user)";

    private static final boolean HAS_HIKARI =
            ClassUtils.isPresent("com.zaxxer.hikari.HikariDataSource", DatabaseLogin.class.getClassLoader());

    /** @param dataSource null if the application has none */
    static DatabaseLogin of(TwinbellProperties.Database set, DataSource dataSource) {
        if (set.url() != null) {
            return new DatabaseLogin(set.url(), set.user(), set.password());
        }
        if (dataSource == null) {
            throw InvalidProperty.of(
                    "database.url",
                    null,
                    "there is no DataSource to take it from: set spring.datasource.url, or this property. If there are"
                            + " several, mark one with @TwinbellDataSource or @Primary");
        }
        DatabaseLogin found = read(dataSource);
        if (found == null || found.url == null) {
            throw InvalidProperty.of(
                    "database.url",
                    null,
                    "it cannot be read from a " + dataSource.getClass().getName()
                            + ": set this property, twinbell.database.user and twinbell.database.password");
        }
        if (!found.url.startsWith("jdbc:postgresql:")) {
            throw InvalidProperty.of(
                    "database.url",
                    null,
                    "the DataSource's URL, " + found.url + ", is not one of PostgreSQL: set this property to the URL"
                            + " jdbc:postgresql:… of the same database");
        }
        return new DatabaseLogin(
                found.url,
                set.user() == null ? found.user : set.user(),
                set.password() == null ? found.password : set.password());
    }

    /**
     * Refuses a {@code DataSource} whose names without a schema mean the node's schema. PostgreSQL looks first in the
     * schema named like the role. So tables and migrations of an application that logs in as {@code twinbell} would be
     * mixed with the node's as soon as that schema exists. A database that does not answer is left to the node, which
     * waits for it.
     *
     * @param dataSource the one that has this login
     * @param schema the node's
     * @throws StartRefusedException if they mean it
     */
    void requireOtherSchema(DataSource dataSource, String schema) {
        // Other applications need not wait for a connection.
        if (!schema.equals(user) && !url.contains("currentSchema=")) {
            return;
        }
        try (Connection connection = dataSource.getConnection();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(FIRST_SCHEMA)) {
            if (row.next() && schema.equals(row.getString(1))) {
                throw new StartRefusedException(
                        "Names without a schema in the application's statements mean the schema " + schema
                                + ", which belongs to the node: by the role of the DataSource, " + user
                                + ", or by currentSchema in its URL",
                        "Append currentSchema=public to spring.datasource.url, or let the application log in as another"
                                + " role.",
                        null);
            }
        } catch (SQLException e) {
            LOG.debug("the search path of the application is not known", e);
        }
    }

    private static DatabaseLogin read(DataSource dataSource) {
        try {
            if (HAS_HIKARI && dataSource.isWrapperFor(HikariDataSource.class)) {
                HikariDataSource pool = dataSource.unwrap(HikariDataSource.class);
                return new DatabaseLogin(pool.getJdbcUrl(), pool.getUsername(), pool.getPassword());
            }
            if (dataSource.isWrapperFor(BaseDataSource.class)) {
                BaseDataSource driver = dataSource.unwrap(BaseDataSource.class);
                return new DatabaseLogin(driver.getUrl(), driver.getUser(), driver.getPassword());
            }
            return null;
        } catch (SQLException e) {
            throw new IllegalStateException("the DataSource cannot be unwrapped: " + e.getMessage(), e);
        }
    }

    /** Omits the password. */
    @Override
    public String toString() {
        return "DatabaseLogin[url=" + url + ", user=" + user + "]";
    }
}
