package io.twinbell.persistence.database;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.postgresql.PGConnection;
import org.postgresql.util.PasswordUtil;

/**
 * Creates what a node needs before its first start: its role, its database and the schema. Existing objects are not
 * changed.
 */
public final class DatabaseCreation {
    private static final Pattern URL = Pattern.compile("(jdbc:postgresql:(?://[^/?]*/)?)([^?]*)(\\?.*)?");
    private static final String SCHEMA = "twinbell";

    /** Whether a new database has by default the encoding that a node needs. */
    private static final String IS_UTF8 =
            "(select pg_encoding_to_char(encoding) = 'UTF8' from pg_database where datname = 'template1')";

    /** The server's locale may require another encoding; the locale C works with any. */
    private static final String AS_UTF8 = " encoding 'UTF8' lc_collate 'C' lc_ctype 'C' template template0";

    private final DatabaseSettings node;
    private final LoginRole ofSqlTasks;
    private final String database;

    /**
     * A role that can log in.
     *
     * @param password null for none
     */
    public record LoginRole(String name, String password) {}

    /**
     * A login that may create roles and databases.
     *
     * @param url null for the database {@code postgres} on the node's server
     * @param password null for none
     */
    public record Admin(String url, String user, String password) {}

    /**
     * @param ofSqlTasks the role that runs the statements of SQL tasks; null if there are none
     * @throws IllegalArgumentException if the node's URL names no database
     */
    public DatabaseCreation(DatabaseSettings node, LoginRole ofSqlTasks) {
        this.node = node;
        this.ofSqlTasks = ofSqlTasks;
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
        return """
                -- Run as a superuser: psql -X -f FILE postgres
                \\set ON_ERROR_STOP on
                %6$s
                select %3$s || case when %7$s then '' else %8$s end where not exists
                  (select from pg_database where datname = %4$s) \\gexec
                \\connect %2$s
                create schema if not exists %5$s authorization %1$s;
                """.formatted(
                        identifier(node.user()),
                        identifier(database),
                        literal("create database " + identifier(database) + " owner " + identifier(node.user())),
                        literal(database),
                        SCHEMA,
                        scriptOf(new LoginRole(node.user(), node.password()), "node_password"),
                        IS_UTF8,
                        literal(AS_UTF8))
                + scriptOfSqlTasks();
    }

    private String scriptOfSqlTasks() {
        return ofSqlTasks == null
                ? ""
                : scriptOf(ofSqlTasks, "sql_password") + "\ngrant " + identifier(ofSqlTasks.name()) + " to "
                        + identifier(node.user()) + ";\n";
    }

    private static String scriptOf(LoginRole role, String variable) {
        String creation = "create role " + identifier(role.name()) + " login";
        String unlessThere =
                " where not exists (select from pg_roles where rolname = " + literal(role.name()) + ") \\gexec";
        if (role.password() != null) {
            String hash = PasswordUtil.encodeScramSha256(role.password().toCharArray());
            return "select " + literal(creation + " password " + literal(hash)) + unlessThere;
        }
        return """
                -- The configuration has no password for this role. Pass one with -v %1$s=..., or set it later.
                \\if :{?%1$s}
                select %2$s || quote_literal(:'%1$s')%4$s
                \\else
                select %3$s%4$s
                \\endif""".formatted(variable, literal(creation + " password "), literal(creation), unlessThere);
    }

    /**
     * Creates what is missing.
     *
     * @return a phrase for each created object
     * @throws DatabaseUnavailableException if the server does not answer, or refuses
     */
    public List<String> create(Admin admin) {
        List<String> made = new ArrayList<>();
        try {
            try (Connection c = connect(admin, "postgres")) {
                refuseOtherEncoding(c);
                createRole(c, new LoginRole(node.user(), node.password()), made);
                if (ofSqlTasks != null) {
                    createRole(c, ofSqlTasks, made);
                    // Without this, a successor could not end the role's sessions.
                    execute(c, "grant " + identifier(ofSqlTasks.name()) + " to " + identifier(node.user()));
                }
                if (!exists(c, "select 1 from pg_database where datname = ?", database)) {
                    boolean isUtf8 = exists(c, "select 1 where ?::text is not null and " + IS_UTF8, database);
                    execute(
                            c,
                            "create database " + identifier(database) + " owner " + identifier(node.user())
                                    + (isUtf8 ? "" : AS_UTF8));
                    made.add("database " + database);
                }
            }
            try (Connection c = connect(admin, database)) {
                if (!exists(c, "select 1 from pg_namespace where nspname = ?", SCHEMA)) {
                    execute(c, "create schema " + SCHEMA + " authorization " + identifier(node.user()));
                    made.add("schema " + SCHEMA);
                }
            }
            return made;
        } catch (SQLException e) {
            throw new DatabaseUnavailableException("create the database as " + admin.user(), e);
        }
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
    private static void createRole(Connection c, LoginRole role, List<String> made) throws SQLException {
        if (exists(c, "select 1 from pg_roles where rolname = ?", role.name())) {
            return;
        }
        execute(c, "create role " + identifier(role.name()) + " login");
        if (role.password() != null) {
            c.unwrap(PGConnection.class)
                    .alterUserPassword(role.name(), role.password().toCharArray(), null);
        }
        made.add("role " + role.name());
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

    private static boolean exists(Connection c, String query, String name) throws SQLException {
        try (PreparedStatement statement = c.prepareStatement(query)) {
            statement.setString(1, name);
            try (ResultSet row = statement.executeQuery()) {
                return row.next();
            }
        }
    }

    private static void execute(Connection c, String sql) throws SQLException {
        try (Statement statement = c.createStatement()) {
            statement.execute(sql);
        }
    }

    private static String identifier(String name) {
        return '"' + name.replace("\"", "\"\"") + '"';
    }

    private static String literal(String text) {
        return "'" + text.replace("'", "''") + "'";
    }
}
