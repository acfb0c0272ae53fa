package io.twinbell.spring;

import io.twinbell.client.JdbcTaskClient;
import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.DataSource;
import org.springframework.jdbc.datasource.DataSourceUtils;

/** Lends the connection of the current {@code @Transactional} method, or one that commits each call. */
final class TransactionConnections implements JdbcTaskClient.ConnectionLender {
    private final DataSource dataSource;

    TransactionConnections(DataSource dataSource) {
        this.dataSource = dataSource;
    }

    @Override
    public Connection borrow() throws SQLException {
        Connection connection = DataSourceUtils.getConnection(dataSource);
        try {
            // A pool may be set to hand out connections without auto-commit.
            if (!DataSourceUtils.isConnectionTransactional(connection, dataSource) && !connection.getAutoCommit()) {
                connection.setAutoCommit(true);
            }
            return connection;
        } catch (SQLException | RuntimeException e) {
            giveBack(connection);
            throw e;
        }
    }

    @Override
    public void giveBack(Connection connection) {
        DataSourceUtils.releaseConnection(connection, dataSource);
    }
}
