package io.twinbell.persistence.database;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.Properties;
import java.util.function.Supplier;
import org.postgresql.ds.PGSimpleDataSource;

/** The sessions of a pool, opened as {@link Sessions} opens them. */
public final class SessionSource extends PGSimpleDataSource {
    private static final long serialVersionUID = 1L;
    private static final String LOGIN_SECONDS = "3";

    private final transient Sessions sessions;
    private final transient Supplier<Properties> properties;

    /** @param properties those of the driver, asked for with each session */
    public SessionSource(Sessions sessions, Supplier<Properties> properties) {
        this.sessions = sessions;
        this.properties = properties;
    }

    /** A password among the properties wins over this one. */
    @Override
    public Connection getConnection(String user, String password) throws SQLException {
        Properties all = new Properties();
        all.putAll(properties.get());
        if (user != null) {
            all.put("user", user);
        }
        if (password != null) {
            all.putIfAbsent("password", password);
        }
        all.putIfAbsent("loginTimeout", LOGIN_SECONDS);
        return sessions.open(all);
    }
}
