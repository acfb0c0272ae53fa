package io.twinbell.daemon.survey;

import io.twinbell.node.upkeep.store.SnapshotSurvey;
import io.twinbell.persistence.clock.Ticker;
import io.twinbell.persistence.database.DatabaseRequirements;
import io.twinbell.persistence.database.DatabaseSettings;
import io.twinbell.persistence.database.DatabaseUnavailableException;
import io.twinbell.persistence.database.DedicatedConnection;
import io.twinbell.persistence.database.ServerHistory;
import io.twinbell.persistence.database.SessionSettings;
import io.twinbell.persistence.takeover.JdbcMasterLock;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalLong;
import javax.sql.DataSource;

/**
 * Queries for {@code twinbell doctor}, which change nothing in the database. Each throws
 * {@link DatabaseUnavailableException} if it gets no answer.
 */
public final class DatabaseSurvey implements AutoCloseable {
    private static final int SECONDS = 5;
    private static final Duration LOCK_FALLS_FREE_WITHIN = Duration.ofSeconds(2);
    private static final int MOST_ROLES = 5;

    private static final String SESSION = String.format(Locale.ROOT, """
            select coalesce(inet_client_addr() <<= '127.0.0.0/8' or inet_client_addr() = '::1'
                            or inet_client_addr() = inet_server_addr(), true),
                   coalesce((select ssl from pg_stat_ssl where pid = pg_backend_pid()), false),
                   current_user::text, r.rolsuper,
                   concat_ws(', ', case when r.rolcreaterole then 'CREATEROLE' end,
                             case when r.rolcreatedb then 'CREATEDB' end,
                             case when r.rolreplication then 'REPLICATION' end,
                             case when r.rolbypassrls then 'BYPASSRLS' end),
                   coalesce((select pg_has_role(n.nspowner, 'USAGE') from pg_namespace n where n.nspname = 'twinbell'), false),
                   exists (select from pg_class c join pg_namespace n on n.oid = c.relnamespace
                           where n.nspname = 'twinbell' and c.relname ~ '^audit_(entry|entry_default|seal|head)$'
                             and has_table_privilege(c.oid, 'UPDATE, DELETE, TRUNCATE')),
                   current_setting('password_encryption'),
                   has_database_privilege('public', d.oid, 'CONNECT'),
                   array(select o.rolname::text from pg_roles o
                         where o.rolcanlogin and not o.rolsuper and o.oid <> r.oid
                           and has_database_privilege(o.oid, d.oid, 'CONNECT')
                           and not pg_has_role(o.oid, d.datdba, 'MEMBER')
                           and not exists (select from pg_auth_members m where m.member = r.oid and m.roleid = o.oid)
                           and not exists (select from pg_namespace n
                                           where n.nspname = 'twinbell' and pg_has_role(o.oid, n.nspowner, 'MEMBER'))
                         order by 1 limit %d)
            from pg_roles r, pg_database d where r.rolname = current_user and d.datname = current_database()""", MOST_ROLES);

    private final DatabaseSettings settings;
    private final DedicatedConnection connection;
    private final Ticker ticker;

    /** The database's time, and the round trip of the question. */
    public record ServerTime(long databaseMicros, long roundTripNanos) {}

    public DatabaseSurvey(DatabaseSettings settings, Ticker ticker) {
        this.settings = settings;
        this.ticker = ticker;
        connection = new DedicatedConnection(settings, "survey", SECONDS);
    }

    public ServerFacts server() {
        return one(
                """
                select current_setting('server_version'), current_setting('server_version_num')::int,
                       current_setting('transaction_read_only')::boolean,
                       (select coalesce(string_agg(name || ' = ' || setting, ', ' order by name), '') from pg_settings
                        where name in ('fsync', 'full_page_writes', 'synchronous_commit') and setting = 'off'),
                       current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int,
                       (select count(*) from pg_stat_activity where backend_type = 'client backend'),
                       current_database()""",
                row -> new ServerFacts(
                        row.getString(1),
                        row.getInt(2),
                        row.getBoolean(3),
                        row.getString(4),
                        new ServerFacts.ConnectionSlots(row.getInt(5), row.getInt(6)),
                        row.getString(7)));
    }

    /** How safe this session is. */
    public SessionFacts session() {
        return one(SESSION, DatabaseSurvey::sessionFacts);
    }

    private static SessionFacts sessionFacts(ResultSet row) throws SQLException {
        return new SessionFacts(
                row.getBoolean(1),
                row.getBoolean(2),
                new SessionFacts.RoleRights(
                        row.getString(3), row.getBoolean(4), row.getString(5), row.getBoolean(6), row.getBoolean(7)),
                row.getString(8),
                new SessionFacts.OtherRoles(
                        row.getBoolean(9), List.of((String[]) row.getArray(10).getArray())));
    }

    /** The current position of the server in its history; empty if the role may not read it. */
    public Optional<ServerHistory.Position> position() {
        return connection.run(ServerHistory::readPosition);
    }

    /**
     * The tasks that would fire first if a node started now.
     *
     * @param tasks how many tasks are due
     * @param oldestMillis the oldest due fire time, in milliseconds since 1970 UTC; empty if there is none
     * @param soonest the first of them, each as {@code app/name  fire time  schedule}
     */
    public record DueSummary(long tasks, OptionalLong oldestMillis, List<String> soonest) {}

    /** The ACTIVE tasks that are due now. */
    public DueSummary due(int most) {
        String due = """
                \sfrom twinbell.task_state s join twinbell.full_task t on t.id = s.task_id
                where s.state = 'ACTIVE' and s.next_fire_time <= statement_timestamp()""";
        return connection.run(c -> {
            try (Statement statement = c.createStatement()) {
                List<String> soonest;
                try (ResultSet rows = statement.executeQuery("""
                        select t.app || '/' || t.name || '  ' || twinbell.instant_text(s.next_fire_time)
                          || '  ' || (t.definition -> 'schedule')::text""" + due + """
                        \sorder by s.next_fire_time, t.id limit\s""" + most)) {
                    soonest = strings(rows);
                }
                try (ResultSet row = statement.executeQuery(
                        "select count(*), (1000 * extract(epoch from min(s.next_fire_time)))::bigint" + due)) {
                    row.next();
                    long tasks = row.getLong(1);
                    return new DueSummary(
                            tasks, tasks == 0 ? OptionalLong.empty() : OptionalLong.of(row.getLong(2)), soonest);
                }
            }
        });
    }

    /** The first tasks that no node can read, each as {@code app/name: error}. */
    public List<String> unreadableTasks(int most) {
        String query = """
                select t.app || '/' || t.name || ': ' || coalesce(s.state_reason, 'no reason is recorded')
                from twinbell.task_state s join twinbell.task t on t.id = s.task_id where s.state = 'ERROR'
                order by t.id limit\s""";
        return connection.run(c -> {
            try (Statement statement = c.createStatement();
                    ResultSet rows = statement.executeQuery(query + most)) {
                return strings(rows);
            }
        });
    }

    /** The requirements that a person has to meet before a node can use the database. */
    public List<DatabaseRequirements.UnmetRequirement> unmet() {
        return connection.run(DatabaseRequirements::unmet);
    }

    /**
     * Settings of the role, database or server that the node's sessions override, each as {@code name = value (where)}.
     */
    public List<String> settingsSetAside() {
        return list(settings.dataSource("survey-settings"), """
                select name || ' = ' || setting || ' (' || source || ')' from pg_settings
                where lower(name) = any(?) and source in
                    ('configuration file', 'global', 'database', 'user', 'database user', 'command line', 'environment variable')
                  and setting is distinct from boot_val
                order by name""");
    }

    /** Sessions and other holders of snapshots that have held back vacuum for more than a minute. */
    public List<SnapshotSurvey.Holder> snapshotHolders() {
        return new SnapshotSurvey(connection).survey();
    }

    /** Whether this role sees what sessions of other roles do. */
    public boolean seesOtherSessions() {
        return one("select pg_has_role('pg_read_all_stats', 'usage')", row -> row.getBoolean(1));
    }

    /** Settings that the node's sessions cannot change, and that impair a pair. */
    public List<String> harmfulSettings() {
        return connection.run(c -> {
            try (Statement statement = c.createStatement();
                    ResultSet row = statement.executeQuery("""
                            select name || ' = ' || setting from pg_settings
                            where name in ('track_activities', 'track_counts', 'autovacuum') and setting = 'off'
                               or name in ('zero_damaged_pages', 'ignore_system_indexes') and setting = 'on'
                            order by name""")) {
                return strings(row);
            }
        });
    }

    private static List<String> list(DataSource source, String query) {
        try (Connection plain = source.getConnection();
                PreparedStatement statement = plain.prepareStatement(query)) {
            List<String> names = new ArrayList<>(SessionSettings.all().keySet());
            names.addAll(DatabaseSettings.BOUNDED_SETTINGS);
            statement.setArray(1, plain.createArrayOf("text", names.toArray()));
            try (ResultSet row = statement.executeQuery()) {
                return strings(row);
            }
        } catch (SQLException e) {
            throw new DatabaseUnavailableException("read the settings", e);
        }
    }

    private static List<String> strings(ResultSet row) throws SQLException {
        List<String> strings = new ArrayList<>();
        while (row.next()) {
            strings.add(row.getString(1));
        }
        return strings;
    }

    /** The database's time and the round trip of the question. */
    public ServerTime serverTime() {
        return connection.run(c -> {
            try (Statement statement = c.createStatement()) {
                // The first answer on a connection takes longer than the following ones.
                statement.execute("select 1");
                long asked = ticker.nanos();
                try (ResultSet row =
                        statement.executeQuery("select (extract(epoch from clock_timestamp()) * 1000000)::bigint")) {
                    row.next();
                    return new ServerTime(row.getLong(1), ticker.nanos() - asked);
                }
            }
        });
    }

    /**
     * Writes a message of a few bytes to the server's write-ahead log, which changes no data. It is committed like a
     * claim: the commit waits for the disk and for synchronous replicas, whereas a read waits for neither.
     *
     * @return empty if this role may not write such a message
     */
    public Optional<CommitFacts> commit() {
        try (DedicatedConnection writer = new DedicatedConnection(settings, "survey-commit", SECONDS)) {
            int backend = writer.run(c -> number(c, "select pg_backend_pid()"));
            Duration took = null;
            try {
                long began = ticker.nanos();
                writer.transaction(c -> execute(c, "select pg_logical_emit_message(true, 'twinbell', 'doctor')"));
                took = Duration.ofNanos(ticker.nanos() - began);
            } catch (DatabaseUnavailableException e) {
                if (e.isRefusal()) {
                    return Optional.empty();
                }
                // Otherwise the session would wait until the replica is back, although its answer is not needed any
                // more.
                one("select pg_terminate_backend(" + backend + ")", row -> row.getBoolean(1));
            }
            Duration seen = took;
            return Optional.of(one(
                    "select current_setting('synchronous_standby_names'), (select count(*) from pg_stat_replication)",
                    row -> new CommitFacts(seen, Duration.ofSeconds(SECONDS), row.getString(1), row.getInt(2))));
        }
    }

    private static int number(Connection c, String query) throws SQLException {
        try (Statement statement = c.createStatement();
                ResultSet row = statement.executeQuery(query)) {
            row.next();
            return row.getInt(1);
        }
    }

    public PairFacts pair() {
        boolean isThere = one("""
                select to_regclass('twinbell.cluster') is not null
                  and to_regclass('twinbell.flyway_schema_history') is not null""", row -> row.getBoolean(1));
        if (!isThere) {
            return PairFacts.NONE;
        }
        String present = systemIdentifier();
        return one(
                """
                select (select version from twinbell.flyway_schema_history where success and version is not null
                        order by installed_rank desc limit 1),
                       name, cluster_id::text, system_identifier,
                       (select e.node from twinbell.epoch e join twinbell.heartbeat h on h.epoch = e.epoch
                        where e.resigned_at is null and h.beat_at > clock_timestamp() - interval '4 s'),
                       coalesce((to_jsonb(c) ->> 'oldest_build')::int, 0)
                from twinbell.cluster c""",
                row -> new PairFacts(
                        row.getString(1),
                        row.getInt(6),
                        row.getString(2),
                        row.getString(3),
                        row.getString(4),
                        present,
                        row.getString(5)));
    }

    /** Null if the role may not read it. */
    private String systemIdentifier() {
        boolean mayRead = one(
                "select has_function_privilege('pg_catalog.pg_control_system()', 'execute')", row -> row.getBoolean(1));
        return mayRead ? one("select system_identifier::text from pg_control_system()", row -> row.getString(1)) : null;
    }

    /**
     * Why this connection to the database cannot carry a lock that is released when its owner dies, for example because
     * of a pooler; empty if it can.
     */
    public Optional<String> unfitForLocks() {
        return new JdbcMasterLock(connection).unfit();
    }

    /**
     * Measures how fast a lock is released: takes a lock, closes the connection without a message as a killed process
     * does, and waits for the lock in another session.
     *
     * @return the measured time; empty if the lock was not released within two seconds
     */
    public Optional<Duration> lockFallsFree() {
        try (DedicatedConnection dying = new DedicatedConnection(settings, "survey-lock", SECONDS)) {
            String key = "hashtextextended('twinbell/survey/" + settings.incarnation() + "', 0)";
            dying.run(c -> execute(c, "select pg_advisory_lock(" + key + ")"));
            long diedNanos = ticker.nanos();
            dying.breakOff();
            return connection.run(c -> {
                execute(c, "set lock_timeout = " + LOCK_FALLS_FREE_WITHIN.toMillis());
                try {
                    execute(c, "select pg_advisory_lock(" + key + ")");
                } catch (SQLException e) {
                    if ("55P03".equals(e.getSQLState())) {
                        return Optional.empty();
                    }
                    throw e;
                }
                Duration took = Duration.ofNanos(ticker.nanos() - diedNanos);
                execute(c, "select pg_advisory_unlock(" + key + ")");
                return Optional.of(took);
            });
        }
    }

    private static boolean execute(Connection c, String sql) throws SQLException {
        try (Statement statement = c.createStatement()) {
            return statement.execute(sql);
        }
    }

    @FunctionalInterface
    private interface Reading<T> {
        T of(ResultSet row) throws SQLException;
    }

    private <T> T one(String query, Reading<T> reading) {
        return connection.run(c -> {
            try (Statement statement = c.createStatement();
                    ResultSet row = statement.executeQuery(query)) {
                row.next();
                return reading.of(row);
            }
        });
    }

    @Override
    public void close() {
        connection.close();
    }

    /**
     * The result of a test commit.
     *
     * @param took null if the commit did not end within {@code bound}
     * @param synchronousStandbys the server's {@code synchronous_standby_names}, the replicas that each commit waits
     *     for; empty for none
     * @param replicas how many replicas are connected, synchronous or not
     */
    public record CommitFacts(Duration took, Duration bound, String synchronousStandbys, int replicas) {}
}
