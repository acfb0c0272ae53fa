package io.twinbell.node.defaults.store;

import io.twinbell.persistence.database.Transactions;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import javax.sql.DataSource;

/** Stores the defaults of the cluster and of apps, and records which versions of them all tasks follow. */
public final class TaskDefaultsStore {
    /** The key of the cluster's defaults. */
    public static final String CLUSTER = "cluster";

    /** The keys of apps begin with this. */
    public static final String APP = "app:";

    /** The maximum number of keys that have defaults. */
    public static final int MAX_KEYS = 1000;

    private static final String EMPTY = "{}";
    /** Excludes concurrent writers, so that versions grow in the order of the commits. */
    private static final String ONE_WRITER = "lock table twinbell.task_defaults in share row exclusive mode";

    private static final String SELECT = """
            select key, version, content, twinbell.millis(created_at), twinbell.millis(updated_at)
            from twinbell.task_defaults""";
    private static final String STANDING = SELECT + " where content <> '{}'";
    private static final String ONE = STANDING + " and key = ?";
    private static final String LIST = STANDING + " order by key limit " + MAX_KEYS;
    private static final String COUNT = "select count(*) from twinbell.task_defaults where content <> '{}'";
    /** Removed keys are forgotten as soon as all tasks follow their removal, except the newest version. */
    private static final String FORGET = """
            delete from twinbell.task_defaults where content = '{}' and followed_version = version
              and version < (select max(version) from twinbell.task_defaults)""";

    private static final String PUT = """
            insert into twinbell.task_defaults as d (key, content) values (?, ?::jsonb)
            on conflict (key) do update set content = excluded.content,
              version = nextval('twinbell.task_defaults_version'), updated_at = clock_timestamp(),
              created_at = case when d.content = '{}' then clock_timestamp() else d.created_at end
            where d.content <> excluded.content""";
    private static final String UNFOLLOWED = SELECT + """
            \swhere followed_version < version and updated_at < clock_timestamp() - interval '2 seconds'
            order by version""";
    private static final String FOLLOWED =
            "update twinbell.task_defaults set followed_version = greatest(followed_version, ?) where key = ?";
    /** A single row without a key if there are no defaults any more, as after the restoration of an older backup. */
    private static final String CHANGED = """
            select d.key, d.version, d.content, twinbell.millis(d.created_at), twinbell.millis(d.updated_at)
            from (select max(version) as newest from twinbell.task_defaults) n
              left join twinbell.task_defaults d on true
            where n.newest is distinct from nullif(?, 0)""";

    private final Transactions transactions;

    public TaskDefaultsStore(DataSource pool) {
        transactions = new Transactions(pool);
    }

    /** The outcomes of {@link #put}. */
    public enum PutOutcome {
        CREATED,
        /** Also if the content was equal. */
        REPLACED,
        /** The key has another version than expected, or no defaults. */
        CONFLICT,
        /** There are {@link #MAX_KEYS} already. */
        FULL
    }

    /** @param defaults what is stored now; null if the key has no defaults */
    public record PutResult(PutOutcome outcome, StoredDefaults defaults) {}

    /**
     * Stores the defaults of a key. Both nodes are notified.
     *
     * @param content a JSON object with at least one member
     * @param expectedVersion the version to replace; null for any version
     */
    public PutResult put(String key, String content, Long expectedVersion) {
        return transactions.run("store defaults", connection -> {
            execute(connection, ONE_WRITER);
            execute(connection, FORGET);
            StoredDefaults current = find(connection, key).orElse(null);
            if (expectedVersion != null && (current == null || current.version() != expectedVersion)) {
                return new PutResult(PutOutcome.CONFLICT, current);
            }
            if (current == null && count(connection) >= MAX_KEYS) {
                return new PutResult(PutOutcome.FULL, null);
            }
            write(connection, key, content);
            StoredDefaults stored = find(connection, key).orElseThrow();
            return new PutResult(current == null ? PutOutcome.CREATED : PutOutcome.REPLACED, stored);
        });
    }

    /** Removes the defaults of a key; false if it has none. Both nodes are notified. */
    public boolean remove(String key) {
        return transactions.run("remove defaults", connection -> {
            execute(connection, ONE_WRITER);
            boolean stood = find(connection, key).isPresent();
            if (stood) {
                write(connection, key, EMPTY);
            }
            return stood;
        });
    }

    public Optional<StoredDefaults> find(String key) {
        return transactions.run("read defaults", connection -> find(connection, key));
    }

    /** Returns the defaults of all keys in their order, at most {@link #MAX_KEYS}. */
    public List<StoredDefaults> list() {
        return transactions.run("list defaults", connection -> {
            try (PreparedStatement statement = connection.prepareStatement(LIST)) {
                return read(statement);
            }
        });
    }

    /**
     * Returns the keys, also removed ones, whose latest version some tasks may not follow yet. A request that read the
     * earlier version may still add tasks, so a change is returned only 2 s after it.
     */
    public List<StoredDefaults> unfollowed() {
        return transactions.run("find changed defaults", connection -> {
            try (PreparedStatement statement = connection.prepareStatement(UNFOLLOWED)) {
                return read(statement);
            }
        });
    }

    /** Records that all tasks follow this version. */
    public void followed(StoredDefaults defaults) {
        transactions.run("record that tasks follow their defaults", connection -> {
            try (PreparedStatement statement = connection.prepareStatement(FOLLOWED)) {
                statement.setLong(1, defaults.version());
                statement.setString(2, defaults.key());
                return statement.executeUpdate();
            }
        });
    }

    private static void write(Connection connection, String key, String content) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(PUT)) {
            statement.setString(1, key);
            statement.setString(2, content);
            statement.executeUpdate();
        }
        execute(connection, "select pg_notify('twinbell_calendar', '')");
    }

    private static Optional<StoredDefaults> find(Connection connection, String key) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(ONE)) {
            statement.setString(1, key);
            return read(statement).stream().findFirst();
        }
    }

    private static long count(Connection connection) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(COUNT);
                ResultSet row = statement.executeQuery()) {
            row.next();
            return row.getLong(1);
        }
    }

    private static void execute(Connection connection, String sql) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            statement.execute();
        }
    }

    /**
     * Returns all defaults, read on a given connection, with empty content for removed ones; empty if the version is
     * still the greatest one.
     *
     * @param version the greatest version that the caller has read; 0 for none
     */
    public static Optional<List<StoredDefaults>> changedSince(Connection connection, long version) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(CHANGED)) {
            statement.setLong(1, version);
            List<StoredDefaults> all = read(statement);
            return all.isEmpty()
                    ? Optional.empty()
                    : Optional.of(all.stream().filter(one -> one.key() != null).toList());
        }
    }

    private static List<StoredDefaults> read(PreparedStatement statement) throws SQLException {
        try (ResultSet rows = statement.executeQuery()) {
            List<StoredDefaults> found = new ArrayList<>();
            while (rows.next()) {
                found.add(new StoredDefaults(
                        rows.getString(1), rows.getLong(2), rows.getString(3), rows.getLong(4), rows.getLong(5)));
            }
            return found;
        }
    }
}
