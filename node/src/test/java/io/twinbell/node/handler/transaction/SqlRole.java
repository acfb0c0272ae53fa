package io.twinbell.node.handler.transaction;

import com.zaxxer.hikari.HikariDataSource;
import io.twinbell.node.handler.store.CompletingTransactions;
import io.twinbell.node.settings.Login;
import io.twinbell.persistence.database.SessionSettings;
import io.twinbell.persistence.testing.SqlTaskRole;
import org.postgresql.ds.PGSimpleDataSource;

/** The role that statements of tasks log in as, and a pool of its sessions. */
public final class SqlRole implements AutoCloseable {
    public static final Login LOGIN = new Login(SqlTaskRole.NAME, SqlTaskRole.PASSWORD);

    private static final String APPLICATION = "twinbell/test/sql";

    private final HikariDataSource pool = new HikariDataSource();

    SqlRole(PGSimpleDataSource database) {
        pool.setJdbcUrl(database.getUrl());
        pool.setUsername(LOGIN.user());
        pool.setPassword(LOGIN.password());
        pool.setMaximumPoolSize(4);
        pool.setMinimumIdle(0);
        pool.setConnectionInitSql(SessionSettings.AT_BEGIN);
        pool.addDataSourceProperty("ApplicationName", APPLICATION);
    }

    CompletingTransactions.Restricted restricted() {
        return new CompletingTransactions.Restricted(pool, SqlTaskRole.NAME, APPLICATION);
    }

    @Override
    public void close() {
        pool.close();
    }
}
