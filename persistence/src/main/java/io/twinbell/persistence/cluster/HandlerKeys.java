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
 * Stores for which keys each node has java handlers. All methods throw
 * {@link io.twinbell.persistence.database.DatabaseUnavailableException} if the database does not answer.
 */
public final class HandlerKeys {
    /** The most keys per node; further ones count as missing, and the node reports that. */
    public static final int MAX_KEYS = 10_000;

    private static final String PUBLISH = "insert into twinbell.node_handlers (node, keys) values (?, ?)"
            + " on conflict (node) do update set keys = excluded.keys, joined_at = clock_timestamp()";

    private static final String UNKNOWN = "select key from unnest(?::text[]) as key"
            + " where key <> 'twinbell.noop' and exists (select 1 from twinbell.node_handlers)"
            + " and not exists (select 1 from twinbell.node_handlers h where key = any (h.keys))";

    /** Finds the keys in use by jumping from key to key in the index, however many tasks share a key. */
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

    /** One ACTIVE task for each key in use that no node has. */
    private static final String UNKNOWN_IN_USE = """
            with recursive used as (
              (select handler_key as key from twinbell.task where handler_key <> 'twinbell.noop' order by handler_key limit 1)
              union all
              select (select t.handler_key from twinbell.task t
                      where t.handler_key > used.key and t.handler_key <> 'twinbell.noop' order by t.handler_key limit 1)
              from used where used.key is not null
            )
            select u.key, x.app, x.name from (select key from used where key is not null limit 1000) as u
            cross join lateral (select t.app, t.name from twinbell.task t join twinbell.task_state s on s.task_id = t.id
              where t.handler_key = u.key and s.state = 'ACTIVE' limit 1) x
            where exists (select 1 from twinbell.node_handlers)
            and not exists (select 1 from twinbell.node_handlers h where u.key = any (h.keys)) order by 1 limit ?""";

    private final Transactions transactions;

    /** A key in use for which a node has no handler although the other node has one. */
    public record MissingHandler(String node, String key) {}

    /** A key in use for which no node has a handler, and a task that uses it. */
    public record UnknownHandler(String key, String app, String task) {}

    public HandlerKeys(DataSource pool) {
        transactions = new Transactions(pool);
    }

    /** Replaces the keys of the node. */
    public void publish(String node, Collection<String> keys) {
        transactions.run("publish the keys of Java handlers", connection -> {
            try (PreparedStatement statement = connection.prepareStatement(PUBLISH)) {
                statement.setString(1, node);
                statement.setArray(
                        2,
                        connection.createArrayOf(
                                "text", keys.stream().sorted().limit(MAX_KEYS).toArray()));
                return statement.executeUpdate();
            }
        });
    }

    /** The given keys for which no node had a handler when it last joined. */
    public List<String> unknown(Collection<String> keys) {
        return transactions.run("find Java handlers", connection -> {
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

    /** Keys that ACTIVE tasks use and for which no node had a handler when it last joined. */
    public List<UnknownHandler> unknownInUse(int limit) {
        return transactions.run("find Java handlers that no node has", connection -> {
            try (PreparedStatement statement = connection.prepareStatement(UNKNOWN_IN_USE)) {
                statement.setInt(1, limit);
                List<UnknownHandler> unknown = new ArrayList<>();
                try (ResultSet row = statement.executeQuery()) {
                    while (row.next()) {
                        unknown.add(new UnknownHandler(row.getString(1), row.getString(2), row.getString(3)));
                    }
                }
                return unknown;
            }
        });
    }

    /** Keys that tasks use and that one of these nodes has but another lacks: at most 20. */
    public List<MissingHandler> lacking(Collection<String> nodes) {
        return transactions.run("compare Java handlers", connection -> {
            try (PreparedStatement statement = connection.prepareStatement(LACKING)) {
                statement.setArray(1, connection.createArrayOf("text", nodes.toArray()));
                statement.setArray(2, connection.createArrayOf("text", nodes.toArray()));
                return lacks(statement);
            }
        });
    }

    private static List<MissingHandler> lacks(PreparedStatement statement) throws SQLException {
        List<MissingHandler> lacking = new ArrayList<>();
        try (ResultSet row = statement.executeQuery()) {
            while (row.next()) {
                lacking.add(new MissingHandler(row.getString(1), row.getString(2)));
            }
        }
        return lacking;
    }
}
