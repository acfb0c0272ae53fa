package io.twinbell.persistence.database;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tracks, by timeline and mark, the database server that all connections of a node must belong to. PostgreSQL gives a
 * primary a new timeline when it is promoted, so of two primaries of one database system the one with the higher
 * timeline is the newer. A connection to a former primary, or to another database system, is refused: what it commits
 * would be missing in the database that the node uses.
 *
 * <p>Within a timeline a mark reveals an older copy. The master sets the mark to the time with each heartbeat, so a
 * server whose mark is lower than a confirmed one has lost what was committed after its own mark.
 *
 * <p>Thread-safe.
 */
public final class ServerHistory {
    private static final Logger LOG = LoggerFactory.getLogger(ServerHistory.class);

    /** The generation of a connection to a server in recovery. */
    public static final int NOT_ADMITTED = -1;

    /**
     * A promoted server that lacks more than this is considered a restored backup, which a person has to adopt. A
     * replica usually lags by some milliseconds, and marks are three seconds apart.
     */
    static final Duration MOST_LOST = Duration.ofSeconds(30);

    /** The mark in a session whose role may not read it. */
    private static final long UNREADABLE = -1;

    private static final String CONNECTION_REJECTED = "08004";

    private static final String CONNECTION_FAILURE = "08006";

    /** Feature not supported, undefined function, insufficient privilege. */
    private static final Set<String> LACKS_IT = Set.of("0A000", "42883", "42501");

    /**
     * Reads the timeline of the log that is being written, because the control file contains that of the last
     * checkpoint. A server in recovery writes no log. Not every role may read the system identifier and the mark; the
     * mark is 0 if there is none yet.
     */
    private static final String SERVER = """
            select case when pg_catalog.pg_is_in_recovery() then 0
                     else ('x' || pg_catalog.substr(pg_catalog.pg_walfile_name(pg_catalog.pg_current_wal_insert_lsn()), 1, 8))
                       ::pg_catalog.bit(32)::pg_catalog.int8 end,
                   case when pg_catalog.has_function_privilege('pg_catalog.pg_control_system()', 'execute')
                     then (select s.system_identifier from pg_catalog.pg_control_system() s) else 0 end,
                   coalesce(pg_catalog.host(pg_catalog.inet_server_addr()), 'a local socket'),
                   coalesce(pg_catalog.inet_server_port(), 0),
                   coalesce((
                     select case when pg_catalog.has_sequence_privilege(c.oid, 'select')
                       then coalesce(pg_catalog.pg_sequence_last_value(c.oid), 0) else -1 end
                     from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace
                     where n.nspname = 'twinbell' and c.relname = 'history_mark' and c.relkind = 'S'), 0)""";

    private Server newest;
    /** How far the pair is known to have used {@link #newest}: its newest confirmed mark. */
    private volatile Position used = new Position(0, 0, 0);

    private final HostCheck hosts = new HostCheck();
    private final StartupOptions options = new StartupOptions();
    private long formerMarkMillis;
    private boolean hasHeard;
    private volatile int generation;
    /** The generation of the connections that were opened before this node knew the mark. */
    private volatile int unchecked = NOT_ADMITTED;

    /** Thrown for a server that must not be used. If it is one of several, another server accepts writes too. */
    static final class RefusedException extends SQLException {
        private static final long serialVersionUID = 1L;

        final boolean isOneOfSeveral;

        RefusedException(String message, boolean isOneOfSeveral) {
            super(message, CONNECTION_REJECTED);
            this.isOneOfSeveral = isOneOfSeveral;
        }
    }

    /**
     * A server as it was seen.
     *
     * @param system 0 if the role may not read it
     * @param millis its mark at that time
     */
    private record Server(long timeline, long system, String address, long millis) {
        boolean isSameSystemAs(Server other) {
            return system == 0 || other.system == 0 || system == other.system;
        }

        Position position() {
            return new Position(system, timeline, millis);
        }
    }

    /**
     * A server's position in the history of its database system.
     *
     * @param system the system identifier, which a server shares with its replicas
     * @param markMillis the newest heartbeat that it has, by the database's clock; 0 if none is known
     */
    public record Position(long system, long timeline, long markMillis) {
        /**
         * Whether nodes refuse a server at this position, once the pair has used its system up to the other position:
         * it is a former primary or an older copy. Only a person may adopt it.
         */
        public boolean isRefusedAfter(Position used) {
            return system == used.system && (timeline < used.timeline || lacks(used));
        }

        /** Whether commits up to the other position are missing here, and more than a promotion since then may lose. */
        private boolean lacks(Position used) {
            long mayLack = timeline == used.timeline ? 0 : MOST_LOST.toMillis();
            return markMillis != UNREADABLE && markMillis < used.markMillis - mayLack;
        }

        /** The mark as text, for messages. */
        public String markTime() {
            return time(markMillis);
        }
    }

    /** The position of the newest known server; empty before the first connection, and if the role may not read it. */
    public synchronized Optional<Position> newest() {
        return newest == null || newest.system() == 0 ? Optional.empty() : Optional.of(used);
    }

    /** The current position of a connection's server; empty if it is in recovery, or the role may not read it. */
    public static Optional<Position> readPosition(Connection connection) throws SQLException {
        Server server = serverOf(connection);
        boolean isKnown = server.timeline() != 0 && server.system() != 0 && server.millis() != UNREADABLE;
        return isKnown
                ? Optional.of(new Position(server.system(), server.timeline(), server.millis()))
                : Optional.empty();
    }

    HostCheck hosts() {
        return hosts;
    }

    StartupOptions options() {
        return options;
    }

    /**
     * Records that a host of the URL is a primary at this position. If it was promoted later, it becomes the server to
     * use.
     */
    synchronized void seen(Position position, String host) {
        Server server = new Server(position.timeline(), position.system(), host, position.markMillis());
        boolean isNewer = newest != null
                && newest.system() == server.system()
                && newest.timeline() < server.timeline()
                && !position.lacks(used);
        if (isNewer) {
            follow(server);
        }
    }

    /**
     * Records that the pair has used a server at this position. If that is newer than the server of this node,
     * connections to the former primary, or to the older copy, are closed at their next use. Positions of another
     * database system are ignored.
     *
     * @param source who reported it, for messages
     */
    public synchronized void note(Position position, String source) {
        boolean isFirst = !hasHeard;
        hasHeard = true;
        Server reported = new Server(position.timeline(), position.system(), source, position.markMillis());
        if (newest == null) {
            begin(reported);
            raise(reported.millis());
        } else if (newest.system() != reported.system()) {
            LOG.debug("{} reports another database system", source);
        } else if (newest.timeline() < reported.timeline()) {
            follow(reported);
            raise(reported.millis());
        } else if (newest.timeline() == reported.timeline()) {
            boolean isAhead = newest.position().lacks(position);
            raise(reported.millis());
            if (isFirst && isAhead) {
                checkAgain(source);
            }
        } else if (isFirst && newest.position().lacks(position)) {
            begin(reported);
            raise(reported.millis());
            checkAgain(source);
        } else if (isFirst) {
            formerMarkMillis = reported.millis();
        }
    }

    /** Connections that were opened before this node knew the mark may lead to an older copy. */
    private void checkAgain(String source) {
        unchecked = generation;
        generation++;
        LOG.debug(
                "{} reports that the database has reached {}: every connection is checked",
                source,
                time(used.markMillis()));
    }

    /**
     * Checks a connection whose generation has ended. One that was opened before this node knew how far the database
     * has got may be used again, unless it leads to an older copy. The master's heartbeats raise the mark while another
     * node starts, so this happens at most starts.
     *
     * @return the current generation
     * @throws SQLException if the connection must be reopened. Its user then discards what it knew about the session
     */
    int renew(Connection connection, int admitted) throws SQLException {
        if (admitted == unchecked && generation == admitted + 1) {
            return admit(connection);
        }
        throw new SQLException(
                "the connection must be reopened: a newer state of the database is known", CONNECTION_FAILURE);
    }

    /**
     * Records that the server has confirmed a commit that contains this mark.
     *
     * @param generationBefore {@link #generation} before the statement was sent; the mark is ignored if connections
     *     have followed a promotion meanwhile
     */
    public synchronized void marked(int generationBefore, long markMillis) {
        if (newest != null && generationBefore == generation) {
            raise(markMillis);
        }
    }

    /** The newest mark of the server before the latest promotion; 0 if none is known. */
    public synchronized long formerMarkMillis() {
        return formerMarkMillis;
    }

    private void raise(long millis) {
        used = new Position(used.system(), used.timeline(), Math.max(used.markMillis(), millis));
    }

    private void begin(Server server) {
        newest = server;
        used = new Position(server.system(), server.timeline(), 0);
    }

    /**
     * The number of promotions that the connections have followed. A claim made under another number must be looked up
     * again, because the promoted server may lack it.
     */
    public int generation() {
        return generation;
    }

    /**
     * Admits a newly opened connection.
     *
     * @return the server's generation, or {@link #NOT_ADMITTED} for a server in recovery, which accepts no writes
     *     and must be checked again
     * @throws SQLException if the connection leads to a former primary or to another database system
     */
    public int admit(Connection connection) throws SQLException {
        // Read before the server is asked: the server must have at least this mark.
        Position before = used;
        Server server = serverOf(connection);
        return server.timeline() == 0 ? NOT_ADMITTED : admit(server, before);
    }

    /** Whether a connection that was admitted under that generation may still be used. */
    public boolean isCurrent(int admitted) {
        return admitted == generation;
    }

    private synchronized int admit(Server server, Position before) throws SQLException {
        if (newest == null) {
            begin(server);
            return generation;
        }
        if (!server.isSameSystemAs(newest)) {
            throw new RefusedException(
                    "the server at " + server.address() + " has the system identifier " + server.system()
                            + ", but this node has used " + newest.system() + " at " + newest.address()
                            + ": it is another database, or the database was created again",
                    true);
        }
        if (server.timeline() < newest.timeline()) {
            throw new RefusedException(
                    "the server at " + server.address() + " is a former primary on timeline " + server.timeline()
                            + ", but this node has used timeline " + newest.timeline() + " at " + newest.address()
                            + ": stop it, or make it a replica of the new primary",
                    true);
        }
        boolean isOlder =
                server.timeline() == before.timeline() && server.position().lacks(before);
        if (isOlder
                || server.timeline() > newest.timeline() && server.position().lacks(used)) {
            throw lacking(server, Math.max(before.markMillis(), used.markMillis()));
        }
        if (server.timeline() > newest.timeline()) {
            follow(server);
        }
        return generation;
    }

    private static RefusedException lacking(Server server, long knownMillis) {
        return new RefusedException(
                "the database at " + server.address() + " lacks all commits after " + time(server.millis())
                        + ", but the pair has used it until " + time(knownMillis)
                        + ": it is an older copy. If it was restored on purpose, stop both nodes and run 'twinbell"
                        + " doctor --adopt'",
                false);
    }

    private static String time(long millis) {
        return millis > 0 ? Instant.ofEpochMilli(millis).toString() : "an unknown time";
    }

    private void follow(Server promoted) {
        LOG.warn(
                "a database server was promoted: {} is on timeline {}, {} was on timeline {}",
                promoted.address(),
                promoted.timeline(),
                newest.address(),
                newest.timeline());
        if (promoted.millis() != UNREADABLE && promoted.millis() < used.markMillis()) {
            LOG.error(
                    "the promoted server lacks all commits after {}; the pair used the former primary until {}",
                    time(promoted.millis()),
                    time(used.markMillis()));
        }
        formerMarkMillis = used.markMillis();
        begin(promoted);
        generation++;
    }

    /** A server that speaks PostgreSQL's protocol but has no such log has no distinguishable timelines. */
    private static Server serverOf(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(SERVER)) {
            row.next();
            return new Server(row.getLong(1), row.getLong(2), row.getString(3) + ":" + row.getInt(4), row.getLong(5));
        } catch (SQLException e) {
            if (LACKS_IT.contains(String.valueOf(e.getSQLState()))) {
                return new Server(1, 0, "the database", UNREADABLE);
            }
            throw e;
        }
    }
}
