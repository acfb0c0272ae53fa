package io.twinbell.persistence.cluster;

import io.twinbell.persistence.database.DatabaseSettings;
import io.twinbell.persistence.database.DedicatedConnection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.util.HashSet;
import java.util.Set;
import java.util.UUID;

/** The nodes of this database, so that they can tell each other's traces in ZooKeeper from those of other clients. */
public final class MemberRegister {
    private static final String JOIN = """
            insert into twinbell.member (node, incarnation) values (?, ?)
            on conflict (node) do update set incarnation = excluded.incarnation, joined_at = clock_timestamp()""";

    private static final String READ = """
            select c.entry_key, e.zk_session, w.zk_session
            from twinbell.cluster c cross join twinbell.epoch e
            left join twinbell.whereabouts w on w.epoch = e.epoch""";

    private static final String IS_OF_AN_EARLIER_BUILD = """
            select exists (select 1 from pg_stat_activity
                where datname = current_database() and starts_with(application_name, ?)
                  and (length(application_name) = 63 or right(application_name, length(?) + 1) = '/' || ?))
              and not exists (select 1 from twinbell.member where incarnation = ?)""";

    private final DedicatedConnection connection;

    /**
     * What the database says of its nodes.
     *
     * @param entryKey seals the nodes' entries; a secret
     * @param ownerSessions the ZooKeeper sessions that the owner of the latest epoch has recorded
     */
    public record Known(String entryKey, Set<Long> ownerSessions) {
        /** Leaves the key out. */
        @Override
        public String toString() {
            return "Known[ownerSessions=" + ownerSessions + "]";
        }
    }

    public MemberRegister(DedicatedConnection connection) {
        this.connection = connection;
    }

    /** Records that this process is the node now, and that it seals its entry. */
    public void join(String node, UUID incarnation) {
        connection.run(c -> {
            try (PreparedStatement statement = c.prepareStatement(JOIN)) {
                statement.setString(1, node);
                statement.setObject(2, incarnation);
                return statement.executeUpdate();
            }
        });
    }

    public Known read() {
        return connection.run(c -> {
            try (PreparedStatement statement = c.prepareStatement(READ);
                    ResultSet row = statement.executeQuery()) {
                row.next();
                Set<Long> sessions = new HashSet<>();
                for (int column = 2; column <= 3; column++) {
                    long session = row.getLong(column);
                    if (!row.wasNull()) {
                        sessions.add(session);
                    }
                }
                return new Known(row.getString(1), sessions);
            }
        });
    }

    /** Whether a process of this node has sessions with the database, and is of a build that seals no entry. */
    public boolean isOfAnEarlierBuild(String node, UUID incarnation) {
        return connection.run(c -> {
            try (PreparedStatement statement = c.prepareStatement(IS_OF_AN_EARLIER_BUILD)) {
                statement.setString(1, DatabaseSettings.applicationPrefix(incarnation));
                statement.setString(2, node);
                statement.setString(3, node);
                statement.setObject(4, incarnation);
                try (ResultSet row = statement.executeQuery()) {
                    row.next();
                    return row.getBoolean(1);
                }
            }
        });
    }
}
