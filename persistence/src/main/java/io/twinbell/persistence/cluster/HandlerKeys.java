package io.twinbell.persistence.cluster;

import io.twinbell.persistence.database.Transactions;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import javax.sql.DataSource;

/**
 * Which keys each node has java handlers for. All methods throw
 * {@link io.twinbell.persistence.database.DatabaseUnavailableException} if the database does not answer.
 */
public final class HandlerKeys {
    /** Of a node; the others count as lacking, and it says so. */
    public static final int MOST = 10_000;

    private static final String PUBLISH = "insert into twinbell.node_handlers (node, keys) values (?, ?)"
            + " on conflict (node) do update set keys = excluded.keys, joined_at = clock_timestamp()";

    private static final String UNKNOWN = "select key from unnest(?::text[]) as key"
            + " where key <> 'twinbell.noop' and exists (select 1 from twinbell.node_handlers)"
            + " and not exists (select 1 from twinbell.node_handlers h where key = any (h.keys))";

    /** Used keys come from one walk over the index from key to key, however many tasks share one. */
    private static final String LACKING = """
            with recursive used as (
              (select handler_key as key from twinbell.task where handler_key <> 'twinbell.noop' order by handler_key limit 1)
              union all
              select (select t.handler_key from twinbell.task t
                      where t.handler_key > used.key and t.handler_key <> 'twinbell.noop' order by t.handler_key limit 1)
              from used where used.key is not null
            ), known as (
              select u.key from (select key from used where key is not null limit 1000) as u
              where exists (select 1 from twinbell.node_handlers h where h.node = any (?) and u.key = any (h.keys))
            )
            select h.node, k.key from known k join twinbell.node_handlers h on h.node = any (?)
            where k.key <> all (h.keys) order by 1, 2 limit 20""";

    private final Transactions transactions;

    /** A key that a node has no handler for, though the other node has one and tasks use it. */
    public record Lack(String node, String key) {}

    public HandlerKeys(DataSource pool) {
        transactions = new Transactions(pool);
    }

    /** These are the node's keys from now on. */
    public void publish(String node, Collection<String> keys) {
        transactions.run("publish the keys of java handlers", connection -> {
            try (PreparedStatement statement = connection.prepareStatement(PUBLISH)) {
                statement.setString(1, node);
                statement.setArray(
                        2,
                        connection.createArrayOf(
                                "text", keys.stream().sorted().limit(MOST).toArray()));
                return statement.executeUpdate();
            }
        });
    }

    /** Those of these keys that no node has ever had a handler for when it joined last. */
    public List<String> unknown(Collection<String> keys) {
        return transactions.run("look for java handlers", connection -> {
            try (PreparedStatement statement = connection.prepareStatement(UNKNOWN)) {
                statement.setArray(1, connection.createArrayOf("text", keys.toArray()));
                List<String> unknown = new ArrayList<>();
                try (ResultSet row = statement.executeQuery()) {
                    while (row.next()) {
                        unknown.add(row.getString(1));
                    }
                }
                return unknown;
            }
        });
    }

    /** What tasks use and one of these nodes has, and another has not: at most 20. */
    public List<Lack> lacking(Collection<String> nodes) {
        return transactions.run("compare java handlers", connection -> {
            try (PreparedStatement statement = connection.prepareStatement(LACKING)) {
                statement.setArray(1, connection.createArrayOf("text", nodes.toArray()));
                statement.setArray(2, connection.createArrayOf("text", nodes.toArray()));
                return lacks(statement);
            }
        });
    }

    private static List<Lack> lacks(PreparedStatement statement) throws SQLException {
        List<Lack> lacking = new ArrayList<>();
        try (ResultSet row = statement.executeQuery()) {
            while (row.next()) {
                lacking.add(new Lack(row.getString(1), row.getString(2)));
            }
        }
        return lacking;
    }
}
