package io.twinbell.node.pair.host;

import io.twinbell.persistence.database.DatabaseSettings;
import io.twinbell.persistence.database.DatabaseUrl;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;

/**
 * Queries each server of a database URL separately; changes nothing. A server that does not answer costs four seconds.
 */
public final class HostSurvey {
    private static final String SECONDS = "2";

    /** Every role may read the start and the port. A replica has the system identifier of its primary. */
    private static final String STATE = """
            select not pg_is_in_recovery(),
                   case when not pg_is_in_recovery()
                       then ('x' || substr(pg_walfile_name(pg_current_wal_insert_lsn()), 1, 8))::bit(32)::bigint
                     when has_function_privilege('pg_catalog.pg_control_checkpoint()', 'execute')
                       then (select timeline_id::bigint from pg_control_checkpoint())
                     else 0 end,
                   case when has_function_privilege('pg_catalog.pg_control_system()', 'execute')
                     then (select system_identifier::text from pg_control_system()) end,
                   extract(epoch from pg_postmaster_start_time()) || ' ' || current_setting('port'),
                   (case when pg_is_in_recovery() then coalesce(pg_last_wal_replay_lsn(), '0/0')
                     else pg_current_wal_lsn() end - '0/0'::pg_lsn)::bigint,
                   current_setting('synchronous_standby_names')""";

    /** A role that is not a member of pg_monitor sees that there are replicas, but no details. */
    private static final String REPLICAS = """
            select coalesce(nullif(application_name, ''), 'a replica'), state, sync_state,
                   case when pg_is_in_recovery() or flush_lsn is null then -1
                     else (pg_current_wal_lsn() - flush_lsn)::bigint end
            from pg_stat_replication order by application_name, pid""";

    private final DatabaseSettings settings;

    public HostSurvey(DatabaseSettings settings) {
        this.settings = settings;
    }

    /** The servers in the order of the URL. */
    public List<HostFacts> survey() {
        DatabaseUrl url = new DatabaseUrl(settings.url());
        return url.hosts().stream().map(host -> survey(host, url.ofHost(host))).toList();
    }

    private HostFacts survey(String host, String url) {
        Properties properties = settings.common("survey-host", "");
        properties.setProperty("user", settings.user());
        if (settings.password() != null && !properties.containsKey("password")) {
            properties.setProperty("password", settings.password());
        }
        properties.setProperty("loginTimeout", SECONDS);
        properties.setProperty("socketTimeout", SECONDS);
        try (Connection connection = DriverManager.getConnection(url, properties)) {
            return new HostFacts(host, null, state(connection));
        } catch (SQLException e) {
            return HostFacts.silent(host, DatabaseUrl.masked(e.getMessage()));
        }
    }

    private static HostFacts.State state(Connection connection) throws SQLException {
        List<HostFacts.Replica> replicas = replicas(connection);
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(STATE)) {
            row.next();
            return new HostFacts.State(
                    row.getBoolean(1),
                    row.getLong(2),
                    row.getString(3),
                    row.getString(4),
                    row.getLong(5),
                    row.getString(6),
                    replicas);
        }
    }

    private static List<HostFacts.Replica> replicas(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(REPLICAS)) {
            List<HostFacts.Replica> replicas = new ArrayList<>();
            while (row.next()) {
                replicas.add(
                        new HostFacts.Replica(row.getString(1), row.getString(2), row.getString(3), row.getLong(4)));
            }
            return replicas;
        }
    }
}
