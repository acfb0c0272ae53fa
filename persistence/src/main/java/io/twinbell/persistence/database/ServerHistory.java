package io.twinbell.persistence.database;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Optional;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The server that all connections of a node belong to. PostgreSQL gives a primary a new timeline when it is promoted, so of
 * two primaries of one database system the one with the higher timeline is the newer. A connection to a former primary, or
 * to another database system, is refused: what it commits would be missing in the database that the node uses.
 *
 * <p>Thread-safe.
 */
public final class ServerHistory {
    private static final Logger LOG = LoggerFactory.getLogger(ServerHistory.class);

    /** Of a connection to a server in recovery. */
    public static final int NOT_ADMITTED = -1;

    private static final String CONNECTION_REJECTED = "08004";

    /** Feature not supported, undefined function, insufficient privilege. */
    private static final Set<String> LACKS_IT = Set.of("0A000", "42883", "42501");

    /**
     * The timeline is taken from the log that is being written: the control file shows that of the last checkpoint. A
     * server in recovery writes none. Not every role may read the system identifier.
     */
    private static final String SERVER = """
            select case when pg_catalog.pg_is_in_recovery() then 0
                     else ('x' || pg_catalog.substr(pg_catalog.pg_walfile_name(pg_catalog.pg_current_wal_insert_lsn()), 1, 8))
                       ::pg_catalog.bit(32)::pg_catalog.int8 end,
                   case when pg_catalog.has_function_privilege('pg_catalog.pg_control_system()', 'execute')
                     then (select s.system_identifier from pg_catalog.pg_control_system() s) else 0 end,
                   coalesce(pg_catalog.host(pg_catalog.inet_server_addr()), 'a local socket'),
                   coalesce(pg_catalog.inet_server_port(), 0)""";

    private Server newest;
    private volatile int generation;

    /** @param system 0 if the role may not read it */
    /** The server must not be used. */
    static final class RefusedException extends SQLException {
        private static final long serialVersionUID = 1L;

        RefusedException(String message) {
            super(message, CONNECTION_REJECTED);
        }
    }

    private record Server(long timeline, long system, String address) {
        boolean isSameSystemAs(Server other) {
            return system == 0 || other.system == 0 || system == other.system;
        }
    }

    /**
     * A server's place in the history of its database system.
     *
     * @param system the system identifier, which a server shares with its replicas
     */
    public record Position(long system, long timeline) {
        /** Whether the other server belongs to the same system and was promoted later. */
        public boolean isBefore(Position other) {
            return system == other.system && timeline < other.timeline;
        }
    }

    /** That of the newest server that is known; empty before the first connection, and if the role may not read it. */
    public synchronized Optional<Position> newest() {
        return newest == null || newest.system() == 0
                ? Optional.empty()
                : Optional.of(new Position(newest.system(), newest.timeline()));
    }

    /**
     * Another node has used a server at that place. If that is newer than what this node uses, the connections to the
     * former primary are closed at their next use. What it says of another database system is ignored.
     *
     * @param source who said it, for messages
     */
    public synchronized void learn(Position position, String source) {
        if (newest == null) {
            newest = new Server(position.timeline(), position.system(), source);
        } else if (newest.system() == position.system() && newest.timeline() < position.timeline()) {
            follow(new Server(position.timeline(), position.system(), source));
        }
    }

    /**
     * How many promotions the connections have followed so far. What was claimed under another number is to be looked up
     * again: the promoted server may lack it.
     */
    public int generation() {
        return generation;
    }

    /**
     * Admits a connection that was opened just now.
     *
     * @return the number of the server's generation, or {@link #NOT_ADMITTED} for a server in recovery, which takes no
     *     writes and has to be looked at again
     * @throws SQLException if it leads to a former primary or to another database system
     */
    public int admit(Connection connection) throws SQLException {
        Server server = serverOf(connection);
        return server.timeline() == 0 ? NOT_ADMITTED : admit(server);
    }

    /** Whether a connection that was admitted under that number may still be used. */
    public boolean isCurrent(int admitted) {
        return admitted == generation;
    }

    private synchronized int admit(Server server) throws SQLException {
        if (newest == null) {
            newest = server;
            return generation;
        }
        if (!server.isSameSystemAs(newest)) {
            throw new RefusedException(
                    "the server at " + server.address() + " has the system identifier " + server.system()
                            + ", and this node has worked with " + newest.system() + " at " + newest.address()
                            + ": it is another database, or one that was created again");
        }
        if (server.timeline() < newest.timeline()) {
            throw new RefusedException(
                    "the server at " + server.address() + " is a former primary on timeline " + server.timeline()
                            + ", and this node has used timeline " + newest.timeline() + " at " + newest.address()
                            + ": stop it, or make it a replica of the new primary");
        }
        if (server.timeline() > newest.timeline()) {
            follow(server);
        }
        return generation;
    }

    private void follow(Server promoted) {
        LOG.warn(
                "the database was promoted: {} is on timeline {}, {} was on timeline {}",
                promoted.address(),
                promoted.timeline(),
                newest.address(),
                newest.timeline());
        newest = promoted;
        generation++;
    }

    /** What speaks the protocol and has no such log has no timelines that could be told apart. */
    private static Server serverOf(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(SERVER)) {
            row.next();
            return new Server(row.getLong(1), row.getLong(2), row.getString(3) + ":" + row.getInt(4));
        } catch (SQLException e) {
            if (LACKS_IT.contains(String.valueOf(e.getSQLState()))) {
                return new Server(1, 0, "the database");
            }
            throw e;
        }
    }
}
