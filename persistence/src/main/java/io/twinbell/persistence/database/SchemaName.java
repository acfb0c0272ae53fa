package io.twinbell.persistence.database;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.Statement;
import java.util.regex.Pattern;

/**
 * The schema of the node's tables. Statements and migrations are written for the schema {@code twinbell}. For another
 * one, {@link #on} wraps each connection, so that it renames the schema in each statement.
 *
 * @param name 1 to 40 lower-case letters, digits and underscores, beginning with a letter
 */
public record SchemaName(String name) {
    private static final Pattern VALID = Pattern.compile("(?!pg_|information_schema$|public$)[a-z][a-z0-9_]{0,39}");

    /** The schema before a name, but not the prefix of a setting, which belongs to a session, or of a handler's key. */
    private static final Pattern IDENTIFIERS = Pattern.compile(
            "(?<![\\w.\"/])twinbell(?=\\.(?!(?:actor|quotas|replaced|stored|noop)\\b))|(?<=\\bschema )twinbell\\b");

    /** Where the name is a text. Channels belong to the whole database, so their names begin with it. */
    private static final Pattern TEXTS =
            Pattern.compile("(?<=')twinbell(?='::regnamespace\\b)|(?<=nspname = ')twinbell(?=')"
                    + "|(?<=\\blisten |\\bnotify |')twinbell(?=_(?:task|ledger|epoch|calendar|limit|parked)\\b)");

    public static final SchemaName DEFAULT = new SchemaName("twinbell");

    /** @throws IllegalArgumentException naming the error */
    public SchemaName {
        if (!VALID.matcher(name).matches()) {
            throw new IllegalArgumentException(
                    "must be 1 to 40 lower-case letters, digits and underscores, beginning with"
                            + " a letter, and neither public nor a name of PostgreSQL's own: \"" + name + "\"");
        }
    }

    /** The statement for this schema. */
    public String in(String sql) {
        return equals(DEFAULT)
                ? sql
                : TEXTS.matcher(IDENTIFIERS.matcher(sql).replaceAll('"' + name + '"'))
                        .replaceAll(name);
    }

    /** The connection for the node's statements; those of an application need the connection itself. */
    public Connection on(Connection connection) {
        return equals(DEFAULT) ? connection : renaming(Connection.class, connection);
    }

    /** The connection for an application's statements. */
    public static Connection original(Connection connection) {
        return connection instanceof Proxy && Proxy.getInvocationHandler(connection) instanceof Renaming renaming
                ? (Connection) renaming.target
                : connection;
    }

    private <T> T renaming(Class<T> type, T target) {
        return type.cast(Proxy.newProxyInstance(
                SchemaName.class.getClassLoader(), new Class<?>[] {type}, new Renaming(this, target)));
    }

    /** Handles the calls of a connection or a statement. */
    private record Renaming(SchemaName schema, Object target) implements InvocationHandler {
        @Override
        public Object invoke(Object self, Method method, Object[] arguments) throws Throwable {
            String called = method.getName();
            boolean takesStatement =
                    called.startsWith("prepare") || called.startsWith("execute") || called.equals("addBatch");
            if (takesStatement && arguments != null && arguments[0] instanceof String sql) {
                arguments[0] = schema.in(sql);
            }
            try {
                Object result = method.invoke(target, arguments);
                return called.equals("createStatement") ? schema.renaming(Statement.class, (Statement) result) : result;
            } catch (InvocationTargetException e) {
                throw e.getCause();
            }
        }
    }
}
