package io.twinbell.persistence.database;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/** Checks, without changing anything, whether a database is suitable for the schema and a node. */
public final class DatabaseRequirements {
    private static final int OLDEST = 140_000;

    private static final String RIGHT_DATABASE =
            "create another database: create database NAME owner ROLE encoding 'UTF8' template template0 (add"
                    + " lc_collate 'C' lc_ctype 'C' if the server's locale has another encoding), and set"
                    + " database.url to it";

    private static final String SERVER = """
            select current_setting('server_version_num')::int, current_setting('server_version'),
                   current_setting('server_encoding'), current_database(), current_user, session_user""";

    /** The statements that reset a setting by which sessions act as another role than the login role. */
    private static final String ACTS_AS_ANOTHER = """
            select string_agg(case
                when s.setrole = 0 then format('alter database %I reset role', current_database())
                when s.setdatabase = 0 then format('alter role %I reset role', session_user)
                else format('alter role %I in database %I reset role', session_user, current_database()) end, '; ')
            from pg_db_role_setting s
            where s.setrole in (0, (select oid from pg_roles where rolname = session_user))
              and s.setdatabase in (0, (select oid from pg_database where datname = current_database()))
              and exists (select from unnest(s.setconfig) as setting where setting ~* '^role=')""";

    private static final String READ_ONLY = """
            select case when pg_is_in_recovery() then 'it is a standby server'
                        else 'default_transaction_read_only is on' end
            where current_setting('transaction_read_only') = 'on'""";

    /** Settings that the node sets for its sessions, but that its role may not be permitted to change. */
    private static final String IMMUTABLE_SETTINGS = """
            select string_agg(name || ' = ' || value, ', ')
            from (values ('session_replication_role', current_setting('session_replication_role'), 'origin'),
                         ('plpgsql.variable_conflict', current_setting('plpgsql.variable_conflict', true), 'error'))
              as s (name, value, needed)
            where value <> needed""";

    private static final String SCHEMA = """
            select n.nspname, pg_get_userbyid(n.nspowner),
                   n.oid is not null and has_schema_privilege(n.oid, 'USAGE') and has_schema_privilege(n.oid, 'CREATE'),
                   n.oid is not null and pg_has_role(n.nspowner, 'USAGE'),
                   has_database_privilege(current_database(), 'CREATE'),
                   exists (select from pg_class c where c.relnamespace = n.oid and c.relname = 'flyway_schema_history'),
                   exists (select from pg_class c where c.relnamespace = n.oid and c.relname = 'node_role'
                           and has_table_privilege(c.oid, 'SELECT'))
            from (select) as one left join pg_namespace n on n.nspname = 'twinbell'""";

    private static final String FOREIGN_TABLE = """
            select format('twinbell.%s belongs to role %s', c.relname, pg_get_userbyid(c.relowner))
            from pg_class c join pg_namespace n on n.oid = c.relnamespace
            where n.nspname = 'twinbell' and c.relkind in ('r', 'p', 'v', 'S', 'm', 'f') and not pg_has_role(c.relowner, 'USAGE')
            order by c.relname limit 1""";

    /**
     * A table of a newer migration than the last that gave the nodes' role its rights. Days are read by their parent.
     */
    private static final String UNREADABLE_TABLE = """
            select c.relname from pg_class c join pg_namespace n on n.oid = c.relnamespace
            where n.nspname = 'twinbell' and c.relkind in ('r', 'p', 'v', 'S') and c.relname !~ '_[0-9]{8}$'
              and c.relname !~ '^audit_entry_id_seq'
              and not case c.relkind when 'S' then has_sequence_privilege(c.oid, 'USAGE') else has_table_privilege(c.oid, 'SELECT') end
            order by c.relname limit 1""";

    private static final String SOME_OBJECT = """
            select c.relname from pg_class c join pg_namespace n on n.oid = c.relnamespace
            where n.nspname = 'twinbell' order by c.relname limit 1""";

    private static final String TABLESPACE = """
            select spcname from pg_tablespace
            where spcname = current_setting('default_tablespace') and not has_tablespace_privilege(oid, 'CREATE')""";

    /**
     * A requirement that is not met.
     *
     * @param check its name, in a few words
     * @param said what was found
     * @param advice what to do
     */
    public record UnmetRequirement(String check, String said, String advice) {
        private static final Set<String> OF_A_ROLE = Set.of("privileges", "tablespace");

        /** Rewords a missing right for sessions that act as another role: the login role itself may have it. */
        private UnmetRequirement ofActingRole(String login, String role, String reset) {
            if (!OF_A_ROLE.contains(check)) {
                return this;
            }
            return new UnmetRequirement(
                    check,
                    said + " (sessions of role " + login + " act as role " + role + " because of a setting \"role\")",
                    reset + ", so that they act as " + login + "; or, to keep " + role + ", " + advice);
        }
    }

    private record Schema(
            String name,
            String owner,
            boolean isUsable,
            boolean isOwn,
            boolean mayBeCreated,
            boolean hasHistory,
            boolean admitsRole) {}

    private DatabaseRequirements() {}

    /** The requirements that a person must meet before a node can use the database; empty if it can. */
    public static List<UnmetRequirement> unmet(Connection connection) throws SQLException {
        List<UnmetRequirement> found = new ArrayList<>();
        try (Statement statement = connection.createStatement()) {
            String role;
            String login;
            String database;
            try (ResultSet row = statement.executeQuery(SERVER)) {
                row.next();
                role = row.getString(5);
                login = row.getString(6);
                database = row.getString(4);
                version(row.getInt(1), row.getString(2), found);
                encoding(row.getString(3), database, found);
            }
            // An older server cannot answer the other queries.
            if (found.stream().noneMatch(unmet -> unmet.check().equals("PostgreSQL"))) {
                text(statement, IMMUTABLE_SETTINGS).ifPresent(settings -> found.add(settings(settings, role)));
                schema(statement, role, database, found);
                text(statement, TABLESPACE).ifPresent(space -> found.add(tablespace(space, role)));
                if (takesNoWrites(connection).isEmpty()) {
                    found.addAll(EngineRequirements.unmet(connection));
                }
            }
            if (!role.equals(login)) {
                String reset = text(statement, ACTS_AS_ANOTHER)
                        .map(statements -> "as a superuser: " + statements)
                        .orElse("remove the setting role from database.url");
                found.replaceAll(unmet -> unmet.ofActingRole(login, role, reset));
            }
        }
        return found;
    }

    /** Why the server accepts no writes now; empty if it does. Another server may become reachable soon. */
    static Optional<String> takesNoWrites(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            return text(statement, READ_ONLY);
        }
    }

    /** @throws WrongSchemaException listing every unmet requirement, and what to do */
    static void require(Connection connection) throws SQLException {
        List<UnmetRequirement> found = unmet(connection);
        if (!found.isEmpty()) {
            throw new WrongSchemaException(found.stream()
                    .map(unmet -> unmet.said() + "; " + unmet.advice())
                    .collect(Collectors.joining(". ")));
        }
    }

    private static void version(int number, String version, List<UnmetRequirement> found) {
        if (number < OLDEST) {
            found.add(new UnmetRequirement(
                    "PostgreSQL", "the server is PostgreSQL " + version, "upgrade it to 14 or newer"));
        }
    }

    private static void encoding(String encoding, String database, List<UnmetRequirement> found) {
        if (!encoding.equals("UTF8")) {
            found.add(new UnmetRequirement(
                    "encoding",
                    "database " + database + " has the encoding " + encoding
                            + ", but must have UTF8 to store names and texts",
                    RIGHT_DATABASE));
        }
    }

    private static UnmetRequirement settings(String settings, String role) {
        return new UnmetRequirement(
                "settings",
                settings + " applies to role " + role
                        + ", which may not change it, so triggers and functions of the schema would not work",
                "reset it (alter role … reset, alter database … reset, or postgresql.conf)");
    }

    private static UnmetRequirement tablespace(String space, String role) {
        return new UnmetRequirement(
                "tablespace",
                "default_tablespace is " + space + ", in which role " + role + " may not create anything",
                "grant create on tablespace " + space + " to " + role + ", or reset default_tablespace");
    }

    private static void schema(Statement statement, String role, String database, List<UnmetRequirement> found)
            throws SQLException {
        Schema schema = schema(statement);
        String handOver = "alter schema \"" + schema.name() + "\" owner to " + role;
        if (schema.name() == null) {
            if (!schema.mayBeCreated()) {
                found.add(new UnmetRequirement(
                        "privileges",
                        "role " + role + " may not create a schema in " + database,
                        "run 'twinbell init-db', or the statements that 'twinbell init-db --print' shows"));
            }
        } else if (schema.admitsRole() && !schema.isOwn()) {
            text(statement, UNREADABLE_TABLE)
                    .ifPresent(table -> found.add(new UnmetRequirement(
                            "privileges",
                            "role " + role + " may not use " + schema.name() + "." + table + ", which belongs to role "
                                    + schema.owner(),
                            "run 'twinbell init-db' with the login of that role (database.owner.user)")));
        } else if (!schema.isUsable() || !schema.isOwn() && !schema.hasHistory()) {
            found.add(new UnmetRequirement(
                    "privileges",
                    "the schema " + schema.name() + " in database " + database + " belongs to role " + schema.owner()
                            + ", not to " + role,
                    "as a superuser: " + handOver + "; or run 'twinbell init-db' with the login of its owner"
                            + " (database.owner.user)"));
        } else if (!schema.hasHistory()) {
            text(statement, SOME_OBJECT)
                    .ifPresent(object -> found.add(new UnmetRequirement(
                            "schema",
                            "the schema " + schema.name() + " in database " + database
                                    + " contains objects that Twinbell did not create, such as " + object,
                            "use another database, or rename that schema")));
        } else {
            text(statement, FOREIGN_TABLE)
                    .ifPresent(table -> found.add(new UnmetRequirement(
                            "privileges",
                            table + ", and role " + role + " lacks that role's rights",
                            "as a superuser: reassign owned by that role, or alter table … owner to " + role)));
        }
    }

    private static Schema schema(Statement statement) throws SQLException {
        try (ResultSet row = statement.executeQuery(SCHEMA)) {
            row.next();
            return new Schema(
                    row.getString(1),
                    row.getString(2),
                    row.getBoolean(3),
                    row.getBoolean(4),
                    row.getBoolean(5),
                    row.getBoolean(6),
                    row.getBoolean(7));
        }
    }

    /** Whether the schema belongs to another role whose rights this role lacks: it may then not migrate the schema. */
    static boolean isOwnedByAnother(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            Schema schema = schema(statement);
            return schema.name() != null && !schema.isOwn();
        }
    }

    private static Optional<String> text(Statement statement, String query) throws SQLException {
        try (ResultSet row = statement.executeQuery(query)) {
            return row.next() ? Optional.ofNullable(row.getString(1)) : Optional.empty();
        }
    }
}
