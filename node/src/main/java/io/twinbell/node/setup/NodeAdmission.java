package io.twinbell.node.setup;

import io.twinbell.persistence.database.DatabaseUnavailableException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import javax.sql.DataSource;

/** Gives the role of the nodes its rights on a schema that another role owns. */
public final class NodeAdmission {
    private NodeAdmission() {}

    /**
     * @param owner sessions of the owner of the schema
     * @param auditDays the days of the audit that nodes may not drop
     * @return whether anything changed but the rights on new objects
     * @throws DatabaseUnavailableException if the server does not answer, or refuses
     */
    public static boolean admit(DataSource owner, String role, int auditDays) {
        try (Connection connection = owner.getConnection();
                PreparedStatement statement = connection.prepareStatement("select twinbell.admit_node(?, ?)")) {
            statement.setString(1, role);
            statement.setInt(2, auditDays);
            try (ResultSet row = statement.executeQuery()) {
                row.next();
                return row.getBoolean(1);
            }
        } catch (SQLException e) {
            throw new DatabaseUnavailableException("admit the role " + role, e);
        }
    }
}
