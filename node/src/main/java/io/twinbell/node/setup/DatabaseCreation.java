package io.twinbell.node.setup;

import io.twinbell.node.settings.Login;
import io.twinbell.persistence.database.DatabaseSettings;
import io.twinbell.persistence.database.DatabaseUnavailableException;
import io.twinbell.persistence.database.DatabaseUrl;
import io.twinbell.persistence.database.WrongSchemaException;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Properties;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.postgresql.PGConnection;
import org.postgresql.util.PasswordUtil;

/**
 * Creates what a node needs before its first start: roles, database and schema. Existing roles stay as they are. An
 * existing schema moves to the owner that is configured for it, if one is.
 */
public final class DatabaseCreation {
    private static final Pattern URL = Pattern.compile("(jdbc:postgresql:(?://[^/?]*/)?)([^?]*)(\\?.*)?");

    /** Whether a new database has by default the encoding that a node needs. */
    private static final String IS_UTF8 =
            "(select pg_encoding_to_char(encoding) = 'UTF8' from pg_database where datname = 'template1')";

    /** The server's locale may require another encoding; the locale C works with any. */
    private static final String AS_UTF8 = " encoding 'UTF8' lc_collate 'C' lc_ctype 'C' template template0";

    /** Finds whether every role of the server may connect to a database, or make temporary tables in it. */
    private static final String OTHERS_MAY_CONNECT = """
            select 1 from pg_database d, aclexplode(coalesce(d.datacl, acldefault('d', d.datdba))) a
            where d.datname = ? and a.grantee = 0 and a.privilege_type in ('CONNECT', 'TEMPORARY')""";

    private final DatabaseSettings node;
    private final DatabaseRoles roles;
    private final String database;
    private final boolean isPrivate;

    /**
     * A login that may create roles and databases.
     *
     * @param url null for the database {@code postgres} on the node's server
     * @param password null for none
     */
    public record Admin(String url, String user, String password) {}

    /**
     * @param isPrivate whether only the roles of the pair may connect to the database, if it exists already; they are
     *     the only ones in a new database
     * @throws IllegalArgumentException if the node's URL names no database
     */
    public DatabaseCreation(DatabaseSettings node, DatabaseRoles roles, boolean isPrivate) {
        this.node = node;
        this.roles = roles;
        this.isPrivate = isPrivate;
        Matcher url = parts(node.url());
        if (url.group(2).isEmpty()) {
            throw new IllegalArgumentException(
                    "database.url contains no database name: " + DatabaseUrl.masked(node.url()));
        }
        database = url.group(2);
    }

    private static Matcher parts(String url) {
        Matcher parts = URL.matcher(url);
        if (!parts.matches()) {
            throw new IllegalArgumentException(
                    "not a URL such as jdbc:postgresql://host:5432/name: " + DatabaseUrl.masked(url));
        }
        return parts;
    }

    /**
     * The same steps as a psql script that a superuser runs, without interaction; it may be run again. A new role gets
     * the configured password, as the hash by which the server checks it. If none is configured, it gets the password
     * in a psql variable, if one is given.
     */
    public String script() {
        String owner = identifier(roles.ofSchema().user());
        return String.format(
                Locale.ROOT,
                """
                -- Run as a superuser: psql -X -f FILE postgres
                \\set ON_ERROR_STOP on
                %6$s%9$s
                select not exists (select from pg_database where datname = %4$s
                  and has_database_privilege('public', oid, 'CONNECT'))%10$s as is_closed \\gset
                select %3$s || case when %7$s then '' else %8$s end where not exists
                  (select from pg_database where datname = %4$s) \\gexec
                \\connect %2$s
                create schema if not exists %5$s authorization %1$s;
                -- Other roles that may connect could delay a takeover.
                \\if :is_closed
                %11$s;
                \\endif
                """,
                owner,
                identifier(database),
                literal("create database " + identifier(database) + " owner " + owner),
                literal(database),
                identifier(node.schema().name()),
                roles.all().map(this::creation).collect(Collectors.joining("\n")),
                IS_UTF8,
                literal(AS_UTF8),
                grantOfSqlTasks(),
                isPrivate ? " or true" : "",
                String.join(";\n", closing()));
    }

    private String grantOfSqlTasks() {
        return roles.ofSqlTasks() == null
                ? ""
                : "\ngrant " + identifier(roles.ofSqlTasks().user()) + " to "
                        + identifier(roles.node().user()) + ";";
    }

    private String creation(Login role) {
        String creation = "create role " + identifier(role.user()) + " login";
        String unlessThere =
                " where not exists (select from pg_roles where rolname = " + literal(role.user()) + ") \\gexec";
        if (role.password() != null) {
            String hash = PasswordUtil.encodeScramSha256(role.password().toCharArray());
            return "select " + literal(creation + " password " + literal(hash)) + unlessThere;
        }
        return String.format(
                Locale.ROOT, """
                -- The configuration has no password for this role. Pass one with -v %1$s=..., or set it later.
                \\if :{?%1$s}
                select %2$s || quote_literal(:'%1$s')%4$s
                \\else
                select %3$s%4$s
                \\endif""", variable(role), literal(creation + " password "), literal(creation), unlessThere);
    }

    private String variable(Login role) {
        if (role == roles.owner()) {
            return "owner_password";
        }
        return role == roles.node() ? "node_password" : "sql_password";
    }

    /**
     * Creates what is missing.
     *
     * @param auditDays the days of the audit that nodes may not drop, if they do not own the schema
     * @return a sentence for each change
     * @throws DatabaseUnavailableException if the server does not answer, or refuses
     */
    public List<String> create(Admin admin, int auditDays) {
        List<String> made = new ArrayList<>();
        String owner = roles.ofSchema().user();
        try {
            boolean isNew;
            try (Connection c = connect(admin, "postgres")) {
                refuseOtherEncoding(c);
                for (Login role : roles.all().toList()) {
                    createRole(c, role, made);
                }
                if (roles.ofSqlTasks() != null) {
                    // Without this, a successor could not end the role's sessions.
                    execute(
                            c,
                            "grant " + identifier(roles.ofSqlTasks().user()) + " to "
                                    + identifier(roles.node().user()));
                }
                isNew = !exists(c, "select 1 from pg_database where datname = ?", database);
                if (isNew) {
                    boolean isUtf8 = exists(c, "select 1 where ?::text is not null and " + IS_UTF8, database);
                    execute(
                            c,
                            "create database " + identifier(database) + " owner " + identifier(owner)
                                    + (isUtf8 ? "" : AS_UTF8));
                    made.add("created database " + database);
                }
            }
            try (Connection c = connect(admin, database)) {
                String schema = node.schema().name();
                if (!exists(c, "select 1 from pg_namespace where nspname = ?", schema)) {
                    execute(c, "create schema " + identifier(schema) + " authorization " + identifier(owner));
                    made.add("created schema " + schema);
                } else if (roles.owner() != null) {
                    new SchemaMove(node.schema(), c, database, roles)
                            .move(auditDays)
                            .ifPresent(made::add);
                }
                close(c, isNew, made);
            }
            return made;
        } catch (SQLException e) {
            throw new DatabaseUnavailableException("create the database as " + admin.user(), e);
        }
    }

    /** Closes the database to other roles, because every role that may connect could take the lock of the master. */
    private void close(Connection c, boolean isNew, List<String> made) throws SQLException {
        boolean isOpen = exists(c, OTHERS_MAY_CONNECT, database);
        if (!isOpen || isNew || isPrivate) {
            for (String statement : closing()) {
                execute(c, statement);
            }
        }
        if (!isOpen) {
            return;
        }
        if (isNew || isPrivate) {
            made.add("closed database " + database + " to other roles: 'grant connect on database "
                    + identifier(database) + " to ROLE' admits one");
        } else {
            made.add("every role of the server may connect to database " + database
                    + " and delay a takeover; if only Twinbell uses it, run init-db with --private");
        }
    }

    /** The statements that close a database to all roles but those of the pair. */
    private List<String> closing() {
        String of = " on database " + identifier(database);
        return Stream.concat(
                        Stream.of(
                                "revoke connect, temporary" + of + " from public",
                                "revoke create on schema public from public"),
                        roles.all().map(role -> "grant connect" + of + " to " + identifier(role.user())))
                .toList();
    }

    /** Checked first, so that a refusal leaves no role and no schema behind. */
    private void refuseOtherEncoding(Connection c) throws SQLException {
        if (exists(
                c,
                "select 1 from pg_database where datname = ? and pg_encoding_to_char(encoding) <> 'UTF8'",
                database)) {
            throw new WrongSchemaException("database " + database
                    + " exists, but its encoding is not UTF8, so it cannot contain the schema; nothing was"
                    + " created. Set database.url to a database that does not exist yet; init-db"
                    + " creates it with encoding UTF8");
        }
    }

    /** The password is sent as a hash, so that it does not appear in the server's log. */
    private static void createRole(Connection c, Login role, List<String> made) throws SQLException {
        if (exists(c, "select 1 from pg_roles where rolname = ?", role.user())) {
            return;
        }
        execute(c, "create role " + identifier(role.user()) + " login");
        if (role.password() != null) {
            c.unwrap(PGConnection.class)
                    .alterUserPassword(role.user(), role.password().toCharArray(), null);
        }
        made.add("created role " + role.user());
    }

    private Connection connect(Admin admin, String name) throws SQLException {
        String url = admin.url() == null ? node.driverUrl() : admin.url();
        boolean isGiven = admin.url() != null && name.equals("postgres");
        Matcher parts = parts(url);
        String target = isGiven ? url : parts.group(1) + name + (parts.group(3) == null ? "" : parts.group(3));
        Properties properties = new Properties();
        properties.setProperty("user", admin.user());
        if (admin.password() != null) {
            properties.setProperty("password", admin.password());
        }
        properties.setProperty("connectTimeout", "5");
        return DriverManager.getConnection(target, properties);
    }

    static boolean exists(Connection c, String query, String name) throws SQLException {
        try (PreparedStatement statement = c.prepareStatement(query)) {
            statement.setString(1, name);
            try (ResultSet row = statement.executeQuery()) {
                return row.next();
            }
        }
    }

    static void execute(Connection c, String sql) throws SQLException {
        try (Statement statement = c.createStatement()) {
            statement.execute(sql);
        }
    }

    /**
     * Gives the role of the nodes its rights on a schema that another role owns.
     *
     * @param owner sessions of the owner of the schema
     * @param auditDays the days of the audit that nodes may not drop
     * @return whether anything changed but the rights on new objects
     * @throws DatabaseUnavailableException if the server does not answer, or refuses
     */
    public static boolean admit(DataSource owner, String role, int auditDays) {
        try (Connection connection = owner.getConnection();
                PreparedStatement statement = connection.prepareStatement("select twinbell.admit_node(?, ?)")) {
            statement.setString(1, role);
            statement.setInt(2, auditDays);
            try (ResultSet row = statement.executeQuery()) {
                row.next();
                return row.getBoolean(1);
            }
        } catch (SQLException e) {
            throw new DatabaseUnavailableException("admit the role " + role, e);
        }
    }

    /** A name as SQL writes it. */
    static String identifier(String name) {
        return '"' + name.replace("\"", "\"\"") + '"';
    }

    /** A text as SQL writes it. */
    static String literal(String text) {
        return "'" + text.replace("'", "''") + "'";
    }

    /**
     * The roles of a pair.
     *
     * @param owner owns the schema and migrates it; null if this is the nodes' role
     * @param node the role by which nodes log in
     * @param ofSqlTasks runs the statements of SQL tasks; null if there are none
     */
    public record DatabaseRoles(Login owner, Login node, Login ofSqlTasks) {
        /** The role that owns the schema. */
        Login ofSchema() {
            return owner == null ? node : owner;
        }

        Stream<Login> all() {
            return Stream.of(owner, node, ofSqlTasks).filter(Objects::nonNull);
        }
    }
}
