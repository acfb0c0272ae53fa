package io.twinbell.persistence.database;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * The settings that the node's sessions do not take from role, database or server, because another value would end the
 * sessions, change what statements mean, or have them read whole tables. Cost and memory settings stay as the server has
 * them, and so do {@code default_transaction_read_only}, by which an operator keeps writers out, and {@code
 * default_tablespace}.
 */
public final class SessionSettings {
    /**
     * For every session, also those of tasks: transactions see each other's commits, as the guard on the epoch row needs
     * it, and an error ends the statement alone.
     */
    private static final Map<String, String> BOUNDS = map(
            "default_transaction_isolation", "read committed",
            "exit_on_error", "off",
            "client_min_messages", "warning");

    /** What decides on the meaning of a statement of the node. */
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

    /** What a plan may use, and how far the planner searches for one. */
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
     * Set when the session has begun, because not every version knows them, not every role may set them, or the URL of
     * the database could say otherwise. {@code client_connection_check_interval} ends a statement with the process that
     * sent it, and not only when it has its lock, or is done: as long as it goes on, a master that was killed would not be
     * proven dead. Not every system can look, and PostgreSQL refuses the setting there.
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

    /** As {@code options} of a session whose statements are the node's. */
    static final String OF_NODE = options(BOUNDS) + options(MEANING) + options(PLANS);

    /** As {@code options} of a session in which an application's handlers work beside the node. */
    static final String OF_HANDLERS = options(BOUNDS) + options(MEANING);

    /** As {@code options} of a session whose statements are those of tasks. */
    static final String OF_TASKS = options(BOUNDS);

    /**
     * Whether commits are weaker than the server promises: they do not reach its disk, or a role, a database or the URL
     * says that they do not wait for the replicas for which the server's own configuration waits.
     */
    private static final String HAS_WEAK_COMMITS = "exists (select 1 from pg_catalog.pg_settings"
            + " where name operator(pg_catalog.=) 'synchronous_commit'"
            + " and (setting operator(pg_catalog.=) 'off' or setting in ('local', 'remote_write')"
            + " and source in ('database', 'user', 'database user', 'client', 'session')))";

    /**
     * To be run in every session when it begins, and after DISCARD ALL. A commit that the server has not written is lost
     * with the server, and one that a synchronous replica lacks is lost with the primary: slots would run twice or never.
     */
    public static final String AT_BEGIN = "do $$ declare wanted record; begin"
            + " for wanted in select * from (values " + values(IF_POSSIBLE) + ") as v (name, setting) loop"
            + " begin perform pg_catalog.set_config(wanted.name, wanted.setting, false);"
            + " exception when others then null; end; end loop;"
            + " if " + HAS_WEAK_COMMITS + " then"
            + " perform pg_catalog.set_config('synchronous_commit', 'on', false); end if; end $$";

    private SessionSettings() {}

    /** Every setting that the node sets aside, in lower case, with its own value. */
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

    /** Spaces are escaped as the server expects it. */
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
