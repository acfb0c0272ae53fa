package io.twinbell.persistence.cluster;

import io.twinbell.persistence.database.DedicatedConnection;
import io.twinbell.persistence.database.Rows;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;

/**
 * Stores the nodes of this database, so that they can tell each other's ZooKeeper entries from those of other clients.
 */
public final class MemberRegister {
    /** Serializes joins: if two nodes use different ensembles, the later one must see the earlier one. */
    private static final String IN_TURN = "select 1 from twinbell.cluster where id = 1 for update";

    private static final String JOIN = """
            insert into twinbell.member (node, incarnation, ensemble, zookeeper, address) values (?, ?, ?, ?, ?)
            on conflict (node) do update set incarnation = excluded.incarnation, ensemble = excluded.ensemble,
                zookeeper = excluded.zookeeper, address = excluded.address, joined_at = clock_timestamp()""";

    /** A rebuilt ensemble has a new mark. If the same node joins at the same addresses, the database is not a copy. */
    private static final String CAME_FROM = """
            select m.node, m.zookeeper, m.address from twinbell.member m
            where m.ensemble is not null and not exists (
              select 1 from twinbell.member o where o.ensemble = ?
                or o.node = ? and o.zookeeper = ? and coalesce(o.address, '') = ?)
            order by m.joined_at desc, m.node limit 1""";

    private static final String RUNS = "exists (select 1 " + JdbcNodeLock.holders("m.node") + ")";

    private static final String TAKES_PART_ELSEWHERE = """
            select m.node, m.zookeeper from twinbell.member m
            where m.node <> ? and m.ensemble <> ? and m.node <> all (?) and\s""" + RUNS + " order by m.node limit 1";

    /**
     * Forgets nodes that do not run. Applications may give their nodes a new id at each start, and only running nodes
     * matter.
     */
    private static final String FORGET = """
            delete from twinbell.member m where m.node <> ? and m.ensemble = ?
              and m.joined_at < clock_timestamp() - interval '30 days' and not\s""" + RUNS;

    private static final String WAITING = """
            select m.node, m.zookeeper from twinbell.member m
            where m.ensemble is null and m.zookeeper is not null and\s""" + RUNS + " order by m.node";

    private static final String READ = """
            select c.entry_key, e.zk_session, w.zk_session
            from twinbell.cluster c cross join twinbell.epoch e
            left join twinbell.whereabouts w on w.epoch = e.epoch""";

    private final DedicatedConnection connection;

    /**
     * What the database knows about its nodes.
     *
     * @param entryKey the key that seals the nodes' entries; a secret
     * @param ownerSessions the ZooKeeper sessions that the owner of the latest epoch has recorded
     */
    public record ClusterEntry(String entryKey, Set<Long> ownerSessions) {
        /** Omits the key. */
        @Override
        public String toString() {
            return "Known[ownerSessions=" + ownerSessions + "]";
        }
    }

    public MemberRegister(DedicatedConnection connection) {
        this.connection = connection;
    }

    /**
     * The ensemble in which a node takes part in the election.
     *
     * @param mark equal for all nodes that share the ensemble
     * @param address its {@code zookeeper.connect}
     * @param present the nodes that are visible there, and therefore share it
     */
    public record Ensemble(String mark, String address, Collection<String> present) {}

    /** A node that uses another ensemble, and its {@code zookeeper.connect}. */
    public record ForeignEnsembleNode(String node, String address) {}

    /**
     * A node with its addresses, by which a copied database is recognised.
     *
     * @param url the URL of the node's API; empty if it has none
     */
    public record MemberAddress(String node, String url, Ensemble ensemble) {}

    /**
     * Checks, before {@link #join}, whether nodes of this database have taken part in another election, and none in
     * this one. The database is then a copy, whose original may be in use.
     *
     * @return where they took part; empty if the place fits, or if no node has joined yet
     */
    public Optional<String> cameFrom(MemberAddress memberAddress) {
        return connection.run(CAME_FROM, statement -> {
            statement.setString(1, memberAddress.ensemble().mark());
            statement.setString(2, memberAddress.node());
            statement.setString(3, memberAddress.ensemble().address());
            statement.setString(4, memberAddress.url());
            return Rows.first(
                    statement,
                    row -> "node " + row.getString(1)
                            + (row.getString(3) == null ? "" : " at " + row.getString(3))
                            + " took part in the election at " + row.getString(2));
        });
    }

    /**
     * Accepts a copied database, or another ensemble: the next node that joins may take part in the ensemble of its
     * configuration.
     */
    public void forgetElections() {
        connection.run(
                "update twinbell.member set ensemble = null where ensemble is not null",
                PreparedStatement::executeUpdate);
    }

    /**
     * Records that this process is now the node, that it seals its entry, and where it takes part in the election. If
     * another running node takes part elsewhere, records that this node waits. Deletes nodes of the same election that
     * joined more than 30 days ago and do not run.
     *
     * @return that other node
     */
    public Optional<ForeignEnsembleNode> join(MemberAddress memberAddress, UUID incarnation) {
        String node = memberAddress.node();
        Ensemble ensemble = memberAddress.ensemble();
        return connection.transaction(c -> {
            try (Statement statement = c.createStatement()) {
                statement.execute(IN_TURN);
            }
            Optional<ForeignEnsembleNode> other = elsewhere(c, node, ensemble);
            try (PreparedStatement statement = c.prepareStatement(JOIN)) {
                statement.setString(1, node);
                statement.setObject(2, incarnation);
                statement.setString(3, other.isPresent() ? null : ensemble.mark());
                statement.setString(4, ensemble.address());
                statement.setString(5, memberAddress.url());
                statement.executeUpdate();
            }
            try (PreparedStatement statement = c.prepareStatement(FORGET)) {
                statement.setString(1, node);
                statement.setString(2, ensemble.mark());
                statement.executeUpdate();
            }
            return other;
        });
    }

    private static Optional<ForeignEnsembleNode> elsewhere(Connection c, String node, Ensemble ensemble)
            throws SQLException {
        try (PreparedStatement statement = c.prepareStatement(TAKES_PART_ELSEWHERE)) {
            statement.setString(1, node);
            statement.setString(2, ensemble.mark());
            statement.setArray(3, c.createArrayOf("text", ensemble.present().toArray()));
            return read(statement).stream().findFirst();
        }
    }

    /** The running nodes that wait because another node takes part in the election elsewhere. */
    public List<ForeignEnsembleNode> waiting() {
        return connection.run(WAITING, MemberRegister::read);
    }

    private static List<ForeignEnsembleNode> read(PreparedStatement statement) throws SQLException {
        return Rows.all(statement, row -> new ForeignEnsembleNode(row.getString(1), row.getString(2)));
    }

    public ClusterEntry read() {
        return connection.run(
                READ,
                statement -> Rows.only(statement, row -> {
                    Set<Long> sessions = new HashSet<>();
                    for (int column = 2; column <= 3; column++) {
                        long session = row.getLong(column);
                        if (!row.wasNull()) {
                            sessions.add(session);
                        }
                    }
                    return new ClusterEntry(row.getString(1), sessions);
                }));
    }
}
