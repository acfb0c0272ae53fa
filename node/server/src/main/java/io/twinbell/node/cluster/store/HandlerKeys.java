package io.twinbell.node.cluster.store;

import io.twinbell.persistence.cluster.JdbcNodeLock;
import io.twinbell.persistence.database.Rows;
import io.twinbell.persistence.database.Transactions;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import javax.sql.DataSource;

/**
 * Stores for which keys each node has java handlers, and its profiles of http calls. All methods throw {@link
 * io.twinbell.persistence.database.DatabaseUnavailableException} if the database does not answer.
 */
public final class HandlerKeys {
    /** The most keys per node; further ones count as missing, and the node reports that. */
    public static final int MAX_KEYS = 10_000;

    private static final String PUBLISH = """
            insert into twinbell.node_handlers (node, keys, profiles) values (?, ?, ?)
            on conflict (node) do update set keys = excluded.keys, profiles = excluded.profiles,
              joined_at = clock_timestamp()""";

    /** Nodes of a Deployment get a new id at each start, so the lists of old ids must not accumulate. */
    private static final String FORGET = """
            delete from twinbell.node_handlers h
            where h.joined_at < clock_timestamp() - interval '7 days' and h.node <> ?
              and not exists (select 1""" + JdbcNodeLock.holders("h.node") + ")";

    private static final String LIVE = """
            select distinct unnest(h.keys) from twinbell.node_handlers h
            where exists (select 1""" + JdbcNodeLock.holders("h.node") + ")";

    private static final String UNKNOWN = """
            select key from unnest(?::text[]) as key
            where key <> 'twinbell.noop' and exists (select 1 from twinbell.node_handlers)
              and not exists (select 1 from twinbell.node_handlers h where key = any (h.keys))""";

    /**
     * Finds the keys in use by jumping from key to key in the index, however many tasks share a key. FINISHED tasks use
     * a key only for as long as their last execution has not ended.
     */
    private static final String LACKING = """
            with recursive used as (
              (select handler_key as key from twinbell.definition where handler_key <> 'twinbell.noop' order by handler_key limit 1)
              union all
              select (select d.handler_key from twinbell.definition d
                      where d.handler_key > used.key and d.handler_key <> 'twinbell.noop' order by d.handler_key limit 1)
              from used where used.key is not null
            ), known as materialized (
              select u.key from (select key from used where key is not null limit 1000) as u
              where exists (select 1 from twinbell.node_handlers h where h.node = any (?) and u.key = any (h.keys))
            )
            select h.node, k.key from known k join twinbell.node_handlers h on h.node = any (?)
            where k.key <> all (h.keys) and (""" + stillUsed("d.handler_key = k.key") + """
              or exists (select 1 from twinbell.execution e where e.held_by = E'\\x01handler:' || k.key)
              or exists (select 1 from twinbell.execution e join twinbell.full_task t on t.id = e.task_id
                where e.state in ('CLAIMED', 'RUNNING', 'RETRYING') and t.handler_key = k.key))
            order by 1, 2 limit 20""";

    private static final String PROFILE = "d.content #>> '{handler,profile}'";

    private static final String UNKNOWN_IN_USE =
            "with recursive" + used("d.handler_key") + unknown("d.handler_key", "keys");

    private static final String LACKING_PROFILES =
            "with recursive" + used(PROFILE) + """
            , alerting as (
              select distinct content #>> '{webhook,profile}' as name from twinbell.alert
              where content #>> '{webhook,profile}' is not null and content ->> 'enabled' is distinct from 'false'
            ), known as materialized (
              select u.name
              from (select name from used where name is not null union select name from alerting limit 1000) as u
              where exists (select 1 from twinbell.node_handlers h where h.node = any (?) and u.name = any (h.profiles))
            )
            select h.node, k.name from known k join twinbell.node_handlers h on h.node = any (?)
            where k.name <> all (h.profiles) and (exists (select 1 from alerting a where a.name = k.name)
              or\s""" + stillUsed(PROFILE + " = k.name") + """
            \sor exists (select 1 from twinbell.execution e join twinbell.task t on t.id = e.task_id
                join twinbell.definition d on d.id = t.definition_id
                where e.state in ('CLAIMED', 'RUNNING', 'RETRYING') and\s""" + PROFILE + """
             = k.name))
            order by 1, 2 limit 20""";

    private static final String UNKNOWN_PROFILES = "with recursive" + used(PROFILE) + unknown(PROFILE, "profiles");

    private final Transactions transactions;

    /** What tasks name and a node has or lacks: code, and settings of its calls. */
    public enum CodeKind {
        JAVA_HANDLER,
        HTTP_PROFILE
    }

    /** What is in use and a node does not have although the other node has it. */
    public record MissingCode(String node, CodeKind kind, String key) {}

    /** What is in use and no node has, and a task that uses it. */
    public record UnknownCode(CodeKind kind, String key, String app, String task) {}

    public HandlerKeys(DataSource pool) {
        transactions = new Transactions(pool);
    }

    /** The values of an indexed expression of {@code twinbell.definition d}: jumps from value to value in the index. */
    private static String used(String expression) {
        return String.format(Locale.ROOT, """
             used as (
              (select %1$s as name from twinbell.definition d where %1$s is not null order by 1 limit 1)
              union all
              select (select %1$s from twinbell.definition d where %1$s > used.name order by 1 limit 1)
              from used where used.name is not null
            )""", expression);
    }

    /** One ACTIVE task for each name in use that no node has, among 10,000 of the name: others may all be FINISHED. */
    private static String unknown(String expression, String offers) {
        return String.format(Locale.ROOT, """

            select u.name, x.app, x.name from (select name from used where name is not null limit 1000) as u
            cross join lateral (select t.app, t.name
              from (select t.id, t.app, t.name from twinbell.task t where t.definition_id = any(array(
                      select d.id from twinbell.definition d where %s = u.name)) limit 10000) as t
              join twinbell.task_state s on s.task_id = any(array[t.id]) where s.state = 'ACTIVE' limit 1) x
            where u.name <> 'twinbell.noop' and exists (select 1 from twinbell.node_handlers)
            and not exists (select 1 from twinbell.node_handlers h where u.name = any (h.%s)) order by 1 limit ?""", expression, offers);
    }

    /** Whether one of the tasks is not FINISHED. Of more than 10,000 tasks it assumes so, to read no more. */
    private static String stillUsed(String tasks) {
        return String.format(Locale.ROOT, """
                (select coalesce(bool_or(s.state <> 'FINISHED') or count(*) > 10000, false)
                  from (select t.id from twinbell.task t where t.definition_id = any(array(
                          select d.id from twinbell.definition d where %s)) limit 10001) as t
                  join twinbell.task_state s on s.task_id = any(array[t.id]))""", tasks);
    }

    /** Replaces what the node has. Forgets nodes that have not run for a week. */
    public void publish(String node, Collection<String> keys, Collection<String> httpProfiles) {
        transactions.run("publish the keys of Java handlers", connection -> {
            try (PreparedStatement statement = connection.prepareStatement(FORGET)) {
                statement.setString(1, node);
                statement.executeUpdate();
            }
            try (PreparedStatement statement = connection.prepareStatement(PUBLISH)) {
                statement.setString(1, node);
                statement.setArray(
                        2,
                        connection.createArrayOf(
                                "text", keys.stream().sorted().limit(MAX_KEYS).toArray()));
                statement.setArray(3, connection.createArrayOf("text", httpProfiles.toArray()));
                return statement.executeUpdate();
            }
        });
    }

    /** The keys of all running nodes: those that hold the lock of their id. */
    public Set<String> live() {
        return transactions.run("find the Java handlers of live nodes", connection -> {
            try (PreparedStatement statement = connection.prepareStatement(LIVE)) {
                return Rows.set(statement, row -> row.getString(1));
            }
        });
    }

    /** The given keys for which no node had a handler when it last joined. */
    public List<String> unknown(Collection<String> keys) {
        return transactions.run("find Java handlers", connection -> {
            try (PreparedStatement statement = connection.prepareStatement(UNKNOWN)) {
                statement.setArray(1, connection.createArrayOf("text", keys.toArray()));
                return Rows.all(statement, row -> row.getString(1));
            }
        });
    }

    /** What ACTIVE tasks use and no node had when it last joined; at most {@code limit} of each kind. */
    public List<UnknownCode> unknownInUse(int limit) {
        return transactions.run("find code and profiles that no node has", connection -> {
            searchByIndex(connection);
            List<UnknownCode> unknown = unknown(connection, UNKNOWN_IN_USE, CodeKind.JAVA_HANDLER, limit);
            unknown.addAll(unknown(connection, UNKNOWN_PROFILES, CodeKind.HTTP_PROFILE, limit));
            return unknown;
        });
    }

    /** In a scan of all tasks the planner expects the first ones of a key soon, but they may come last. */
    private static void searchByIndex(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute("set local enable_seqscan = off");
        }
    }

    private static List<UnknownCode> unknown(Connection connection, String query, CodeKind kind, int limit)
            throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(query)) {
            statement.setInt(1, limit);
            return Rows.all(
                    statement, row -> new UnknownCode(kind, row.getString(1), row.getString(2), row.getString(3)));
        }
    }

    /** What tasks and alerts use and one of these nodes has but another lacks: at most 20 of each kind. */
    public List<MissingCode> lacking(Collection<String> nodes) {
        return transactions.run("compare Java handlers and http profiles", connection -> {
            searchByIndex(connection);
            List<MissingCode> lacking = lacking(connection, LACKING, CodeKind.JAVA_HANDLER, nodes);
            lacking.addAll(lacking(connection, LACKING_PROFILES, CodeKind.HTTP_PROFILE, nodes));
            return lacking;
        });
    }

    private static List<MissingCode> lacking(
            Connection connection, String query, CodeKind kind, Collection<String> nodes) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(query)) {
            statement.setArray(1, connection.createArrayOf("text", nodes.toArray()));
            statement.setArray(2, connection.createArrayOf("text", nodes.toArray()));
            return Rows.all(statement, row -> new MissingCode(row.getString(1), kind, row.getString(2)));
        }
    }
}
