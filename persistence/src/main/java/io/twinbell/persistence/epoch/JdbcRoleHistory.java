package io.twinbell.persistence.epoch;

import io.twinbell.persistence.database.DedicatedConnection;
import io.twinbell.persistence.database.Rows;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.UUID;

/** Stores role changes in a table, so that the history survives the node. */
public final class JdbcRoleHistory implements RoleHistory {
    private final DedicatedConnection connection;

    public JdbcRoleHistory(DedicatedConnection connection) {
        this.connection = connection;
    }

    @Override
    public void record(RoleChange change) {
        connection.run("""
                insert into twinbell.role_history
                  (at, node, incarnation, epoch, from_role, to_role, reason, took_millis, steps)
                values (twinbell.instant(?), ?, ?, ?, ?, ?, ?, ?, ?::jsonb)""", statement -> {
            statement.setLong(1, change.atMillis());
            statement.setString(2, change.node());
            statement.setObject(3, change.incarnation());
            statement.setLong(4, change.epoch());
            statement.setString(5, change.from());
            statement.setString(6, change.to());
            statement.setString(7, change.reason());
            statement.setLong(8, change.tookMillis());
            statement.setString(9, change.steps());
            return statement.executeUpdate();
        });
    }

    @Override
    public void addStep(String node, long epoch, String step, long micros) {
        connection.run("""
                update twinbell.role_history
                set steps = steps || jsonb_build_object('step', ?::text, 'micros', ?::bigint)
                where node = ? and epoch = ? and to_role = 'MASTER'""", statement -> {
            statement.setString(1, step);
            statement.setLong(2, micros);
            statement.setString(3, node);
            statement.setLong(4, epoch);
            return statement.executeUpdate();
        });
    }

    @Override
    public List<RoleChange> latest(int limit) {
        return latest("true", limit);
    }

    @Override
    public List<RoleChange> promotions(int limit) {
        return latest("to_role = 'MASTER'", limit);
    }

    private List<RoleChange> latest(String condition, int limit) {
        return connection.run("""
                select twinbell.millis(at), node, incarnation, epoch, from_role, to_role, reason, took_millis, steps
                from twinbell.role_history where\s""" + condition + " order by id desc limit ?", statement -> {
            statement.setInt(1, limit);
            return Rows.all(statement, row -> read(row));
        });
    }

    private static RoleChange read(ResultSet row) throws SQLException {
        return new RoleChange(
                row.getLong(1),
                row.getString(2),
                row.getObject(3, UUID.class),
                row.getLong(4),
                row.getString(5),
                row.getString(6),
                row.getString(7),
                row.getLong(8),
                row.getString(9));
    }
}
