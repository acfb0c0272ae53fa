package io.twinbell.persistence.cluster;

import io.twinbell.persistence.database.DedicatedConnection;
import io.twinbell.persistence.database.Rows;
import java.util.UUID;

/** Records which cluster the database belongs to. The first node that joins sets the name. */
public final class ClusterRegister {
    private final DedicatedConnection connection;

    public ClusterRegister(DedicatedConnection connection) {
        this.connection = connection;
    }

    /**
     * Checks the name without storing it: a node that ZooKeeper refuses must not leave it behind.
     *
     * @return the random id that the database got when its schema was created
     * @throws WrongClusterException if the database belongs to a cluster of another name
     */
    public UUID check(String clusterName) {
        return read(clusterName, "select coalesce(name, ?), cluster_id from twinbell.cluster where id = 1");
    }

    /** As {@link #check}, and stores the name if there is none yet. */
    public UUID join(String clusterName) {
        return read(
                clusterName,
                "update twinbell.cluster set name = coalesce(name, ?) where id = 1 returning name, cluster_id");
    }

    private UUID read(String clusterName, String sql) {
        return connection.run(sql, statement -> {
            statement.setString(1, clusterName);
            return Rows.only(statement, row -> {
                String name = row.getString(1);
                if (!name.equals(clusterName)) {
                    throw new WrongClusterException(
                            "the database belongs to cluster \"" + name + "\", but this node's configuration"
                                    + " key cluster is \""
                                    + clusterName + "\": one database serves one cluster");
                }
                return row.getObject(2, UUID.class);
            });
        });
    }

    /** The migration that a build must know to run on this schema. */
    public int oldestBuild() {
        return connection.run(
                "select oldest_build from twinbell.cluster where id = 1",
                statement -> Rows.only(statement, row -> row.getInt(1)));
    }
}
