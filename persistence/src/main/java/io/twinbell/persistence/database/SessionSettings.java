package io.twinbell.persistence.database;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import org.postgresql.PGConnection;

/**
 * Settings that the node's sessions override, because another value of the role, database or server would end the
 * sessions, change the meaning of statements, or make them read whole tables. Cost and memory settings stay as the
 * server has them. So do {@code default_transaction_read_only}, with which an operator prevents writes, and
 * {@code default_tablespace}.
 */
public final class SessionSettings {
    /**
     * For every session, including those of tasks: transactions see each other's commits, as the guard on the epoch row
     * requires, and an error ends only the statement.
     */
    private static final Map<String, String> BOUNDS = map(
            "default_transaction_isolation", "read committed",
            "exit_on_error", "off",
            "client_min_messages", "warning");

    /** Settings that determine the meaning of the node's statements. */
    private static final Map<String, String> MEANING = map(
            "standard_conforming_strings", "on",
            "array_nulls", "on",
            "transform_null_equals", "off",
            "quote_all_identifiers", "off",
            "bytea_output", "hex",
            "IntervalStyle", "postgres",
            "gin_fuzzy_search_limit", "0",
            "default_table_access_method", "heap",
            "check_function_bodies", "on",
            "plpgsql.extra_errors", "none",
            "plpgsql.extra_warnings", "none");

    /** Settings that determine which plans are allowed, and how far the planner searches. */
    private static final Map<String, String> PLANS = map(
            "plan_cache_mode", "auto",
            "enable_seqscan", "on",
            "enable_hashjoin", "on",
            "enable_mergejoin", "on",
            "enable_material", "on",
            "enable_indexscan", "on",
            "enable_indexonlyscan", "on",
            "enable_bitmapscan", "on",
            "enable_nestloop", "on",
            "enable_sort", "on",
            "enable_hashagg", "on",
            "enable_partition_pruning", "on",
            "constraint_exclusion", "partition",
            "join_collapse_limit", "8",
            "from_collapse_limit", "8",
            "geqo_threshold", "12",
            "jit", "off");

    /**
     * Set after the session has begun, because not every version has them, not every role may set them, or the URL of
     * the database could override them. {@code client_connection_check_interval} ends a statement when its client
     * process has ended. Otherwise the statement would continue until it has its lock or is done. A killed master would
     * be proven dead only then. Not every system supports the check, and PostgreSQL refuses the setting there.
     */
    private static final Map<String, String> IF_POSSIBLE = map(
            "client_connection_check_interval", "50",
            "idle_session_timeout", "0",
            "transaction_timeout", "0",
            "search_path", "pg_catalog",
            "restrict_nonsystem_relation_kind", "",
            "debug_parallel_query", "off",
            "force_parallel_mode", "off",
            "session_replication_role", "origin",
            "plpgsql.variable_conflict", "error",
            "track_activities", "on");

    /** The {@code options} of a session that runs the node's statements. */
    static final String OF_NODE = options(BOUNDS) + options(MEANING) + options(PLANS);

    /** The {@code options} of a session that runs an application's handlers beside the node's statements. */
    static final String OF_HANDLERS = options(BOUNDS) + options(MEANING);

    /** The {@code options} of a session that runs the statements of SQL tasks. */
    static final String OF_TASKS = options(BOUNDS);

    /**
     * Whether commits are weaker than the server's configuration promises: they do not reach its disk, or they do not
     * wait for its synchronous replicas, because a role, a database or the URL says so.
     */
    private static final String HAS_WEAK_COMMITS = """
            exists (select 1 from pg_catalog.pg_settings where name operator(pg_catalog.=) 'synchronous_commit'
              and (setting operator(pg_catalog.=) 'off' or setting in ('local', 'remote_write')
                and source in ('database', 'user', 'database user', 'client', 'session')))""";

    /**
     * Run in every session when it begins, and after DISCARD ALL, which behind a pooler also discards the options. A
     * commit that the server has not written is lost with the server, and one that a synchronous replica lacks is lost
     * with the primary. Slots would then run twice or never.
     */
    public static final String AT_BEGIN = atBegin("");

    /** The same, but only if the server process is the one that was announced; then the number of the process. */
    private static final String AT_BEGIN_OF_PROCESS =
            atBegin(" if pg_catalog.pg_backend_pid() operator(pg_catalog.<>) %d then return; end if;")
                    + "; select pg_catalog.pg_backend_pid()";

    private SessionSettings() {}

    /**
     * Sets what {@link #AT_BEGIN} sets, unless a pooler is in between: it announces another process than the one that
     * answers.
     *
     * @return whether no pooler is in between
     */
    static boolean beginDirect(Connection connection) throws SQLException {
        int announced = connection.unwrap(PGConnection.class).getBackendPID();
        try (Statement statement = connection.createStatement()) {
            statement.execute(String.format(Locale.ROOT, AT_BEGIN_OF_PROCESS, announced));
            statement.getMoreResults();
            try (ResultSet row = statement.getResultSet()) {
                row.next();
                return row.getInt(1) == announced;
            }
        }
    }

    private static String atBegin(String condition) {
        return String.format(Locale.ROOT, """
                do $$ declare wanted record; begin%s
                  for wanted in select * from (values %s, %s) as v (name, setting) loop
                    begin perform pg_catalog.set_config(wanted.name, wanted.setting, false);
                    exception when others then null; end;
                  end loop;
                  if %s then perform pg_catalog.set_config('synchronous_commit', 'on', false); end if;
                end $$""", condition, values(BOUNDS), values(IF_POSSIBLE), HAS_WEAK_COMMITS);
    }

    /** Every setting that the node overrides, in lower case, with the node's value. */
    public static Map<String, String> all() {
        Map<String, String> all = new LinkedHashMap<>();
        for (Map<String, String> part : List.of(BOUNDS, MEANING, PLANS, IF_POSSIBLE)) {
            part.forEach((name, value) -> all.put(name.toLowerCase(Locale.ROOT), value));
        }
        return all;
    }

    private static Map<String, String> map(String... namesAndValues) {
        Map<String, String> map = new LinkedHashMap<>();
        for (int i = 0; i < namesAndValues.length; i += 2) {
            map.put(namesAndValues[i], namesAndValues[i + 1]);
        }
        return map;
    }

    /** Escapes spaces as the server requires. */
    private static String options(Map<String, String> settings) {
        List<String> options = new ArrayList<>();
        settings.forEach((name, value) -> options.add(" -c " + name + "=" + value.replace(" ", "\\ ")));
        return String.join("", options);
    }

    private static String values(Map<String, String> settings) {
        return settings.entrySet().stream()
                .map(setting -> "('" + setting.getKey() + "', '" + setting.getValue() + "')")
                .collect(Collectors.joining(", "));
    }
}
