package io.twinbell.persistence.cluster;

import io.twinbell.persistence.database.DatabaseUnavailableException;
import io.twinbell.persistence.database.DedicatedConnection;
import io.twinbell.persistence.database.Rows;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.Locale;
import org.postgresql.PGConnection;

/** Holds a node's lock as a session lock on a dedicated connection. */
public final class JdbcNodeLock implements NodeLock {
    private static final String HOLDERS = holders("?");
    /** Advisory locks have no owner: any role that may connect can take one. Only these roles can act as a node. */
    private static final String MAY_BE_NODE =
            "coalesce(has_table_privilege(a.usesysid, to_regclass('twinbell.epoch'), 'UPDATE'), true)";

    /** A session's application name is {@code twinbell/INCARNATION/PURPOSE/NODE}. */
    private static final String PURPOSE = "regexp_replace(%s.application_name, '^[^/]*/[^/]*', '')";

    private final DedicatedConnection connection;
    private final String nodeId;
    private int lockedBy;

    public JdbcNodeLock(DedicatedConnection connection, String nodeId) {
        this.connection = connection;
        this.nodeId = nodeId;
    }

    /** With a dot, so that {@link io.twinbell.persistence.database.SchemaName} renames it: each schema has its own locks. */
    private static String key(String node) {
        return "hashtextextended('twinbell.node/' || " + node + ", 0)";
    }

    /**
     * SQL for the sessions that hold the lock in this database, starting with the word {@code from}. The server lists
     * the locks of all databases, and their keys may be equal.
     */
    public static String holders(String node) {
        return String.format(Locale.ROOT, """
                \sfrom pg_locks l join pg_stat_activity a on a.pid = l.pid, (select %s as key) k
                where l.locktype = 'advisory' and l.granted and l.objsubid = 1
                  and l.database = (select oid from pg_database where datname = current_database())
                  and ((l.classid::bigint << 32) | l.objid::bigint) = k.key""", key(node));
    }

    @Override
    public boolean acquire() {
        try {
            return acquireOnce();
        } catch (DatabaseUnavailableException e) {
            // The next session may get the same process id.
            lockedBy = 0;
            throw e;
        }
    }

    private boolean acquireOnce() {
        return connection.run(c -> {
            // A session lock is counted: if taken twice, it must be released twice.
            int session = c.unwrap(PGConnection.class).getBackendPID();
            if (session == lockedBy) {
                return isAlive(c);
            }
            boolean locked = tryLock(c) || endOwnFormerSession(c) && tryLock(c);
            lockedBy = locked ? session : 0;
            return locked || isWithheldByStranger(c);
        });
    }

    /**
     * Ends an earlier session of this process that still holds the lock. The connection may have broken on this side
     * only. Until the server notices that, the former session would look like another process.
     */
    private boolean endOwnFormerSession(Connection c) throws SQLException {
        try (PreparedStatement statement =
                c.prepareStatement("select count(pg_terminate_backend(l.pid, 2000))" + HOLDERS + """
                        \sand a.pid <> pg_backend_pid() and a.application_name = current_setting('application_name')
                          and\s""" + MAY_BE_NODE)) {
            statement.setString(1, nodeId);
            return Rows.only(statement, row -> row.getInt(1) > 0);
        }
    }

    /** Whether the holder of the lock cannot be a node, and no older session of another process has this node's id. */
    private boolean isWithheldByStranger(Connection c) throws SQLException {
        try (PreparedStatement statement = c.prepareStatement(String.format(
                Locale.ROOT,
                """
                select exists (select%s and not %s) and not exists (
                  select from pg_stat_activity a join pg_stat_activity own on own.pid = pg_backend_pid()
                    and a.datname = own.datname and a.application_name <> own.application_name and %s = %s
                  where (a.backend_start, a.pid) < (own.backend_start, own.pid) and %2$s)""",
                HOLDERS,
                MAY_BE_NODE,
                String.format(Locale.ROOT, PURPOSE, "a"),
                String.format(Locale.ROOT, PURPOSE, "own")))) {
            statement.setString(1, nodeId);
            return Rows.only(statement, row -> row.getBoolean(1));
        }
    }

    private static boolean isAlive(Connection c) throws SQLException {
        try (var statement = c.createStatement()) {
            return statement.execute("select 1");
        }
    }

    private boolean tryLock(Connection c) throws SQLException {
        try (PreparedStatement statement = c.prepareStatement("select pg_try_advisory_lock(" + key("?") + ")")) {
            statement.setString(1, nodeId);
            return Rows.only(statement, row -> row.getBoolean(1));
        }
    }

    /** The application name, the role and the address of the session that holds the lock. */
    @Override
    public String holder() {
        return connection.run("""
                select concat(a.application_name, ' of role ', a.usename, ' from ',
                              coalesce(host(a.client_addr), 'an unknown address'),
                              ' since ' || a.backend_start)""" + HOLDERS, statement -> {
            statement.setString(1, nodeId);
            return Rows.first(statement, row -> row.getString(1)).orElse("a session that has just ended");
        });
    }
}
