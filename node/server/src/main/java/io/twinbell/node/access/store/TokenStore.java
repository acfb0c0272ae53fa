package io.twinbell.node.access.store;

import io.twinbell.persistence.database.Rows;
import io.twinbell.persistence.database.Transactions;
import java.sql.Array;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Types;
import java.time.Duration;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import javax.sql.DataSource;

/**
 * Stores tokens. All methods throw {@link io.twinbell.persistence.database.DatabaseUnavailableException} if the
 * database does not answer.
 */
public final class TokenStore {
    public static final int MAX_TOKENS = 1000;

    /** The prefix of the name of a node's admin token; the id of the node follows it. */
    public static final String ADMIN_OF = "node ";

    private static final String ONE_WRITER = "lock table twinbell.access_token in share row exclusive mode";

    private static final String COLUMNS = """
            name, role, apps, grants, twinbell.millis(created_at), twinbell.millis(expires_at),
            twinbell.millis(last_used_at), hash, old_hash, twinbell.millis(old_until)""";

    private static final String ALL = "select " + COLUMNS + " from twinbell.access_token order by name";

    private static final String STATE = """
            select exists (select 1 from twinbell.access_token where name = ?),
                   (select count(*) from twinbell.access_token) >= ?""";

    private static final String CREATE = """
            insert into twinbell.access_token (name, hash, role, apps, grants, expires_at)
            values (?, ?, ?, ?, ?, clock_timestamp() + ? * interval '1 millisecond')""";

    private static final String ROTATE = """
            update twinbell.access_token set old_hash = hash,
              old_until = clock_timestamp() + ? * interval '1 millisecond', hash = ?
            where name = ? returning\s""" + COLUMNS;

    private static final String REVOKE = "delete from twinbell.access_token where name = ?";

    private static final String USED =
            "update twinbell.access_token set last_used_at = clock_timestamp() where name = any (?)";

    private static final String REMOVE_OTHER = "delete from twinbell.access_token where name = ? and hash <> ?";

    private static final String PUT_ADMIN = """
            insert into twinbell.access_token (name, hash, role, apps, grants)
            select ?, ?, 'ADMIN', '{}', '{}'
            where not exists (select 1 from twinbell.access_token where ? in (hash, old_hash))""";

    private final Transactions transactions;

    /** How an attempt to create a token ended. */
    public enum CreateOutcome {
        CREATED,
        NAME_TAKEN,
        FULL
    }

    /**
     * A token of the HTTP API.
     *
     * @param role the name of a role
     * @param apps the only apps of the token; empty for all
     * @param grants names of grants
     * @param times when it was created and used, and when it ends
     */
    public record AccessToken(String name, String role, List<String> apps, List<String> grants, TokenTimes times) {}

    /**
     * @param expiresMillis null if the token never expires
     * @param usedMillis null if it was never used
     */
    public record TokenTimes(long createdMillis, Long expiresMillis, Long usedMillis) {}

    /**
     * A token with the hashes by which the token of a request is recognised.
     *
     * @param hash SHA-256 of the token
     * @param oldHash SHA-256 of the token before the latest rotation; null if there is none
     * @param oldUntilMillis until when the old one is valid
     */
    public record HashedToken(AccessToken token, byte[] hash, byte[] oldHash, Long oldUntilMillis) {}

    /** What a token permits. */
    public record TokenRights(String role, List<String> apps, List<String> grants) {}

    public TokenStore(DataSource pool) {
        transactions = new Transactions(pool);
    }

    /** All tokens, by name. */
    public List<HashedToken> all() {
        return transactions.run("read the tokens", connection -> {
            try (PreparedStatement statement = connection.prepareStatement(ALL)) {
                return read(statement);
            }
        });
    }

    /** @param validFor null if the token never expires */
    public CreateOutcome create(String name, byte[] hash, TokenRights rights, Duration validFor) {
        return transactions.run("create a token", connection -> {
            lock(connection);
            try (PreparedStatement state = connection.prepareStatement(STATE)) {
                state.setString(1, name);
                state.setInt(2, MAX_TOKENS);
                CreateOutcome outcome = Rows.only(
                        state,
                        row -> row.getBoolean(1)
                                ? CreateOutcome.NAME_TAKEN
                                : row.getBoolean(2) ? CreateOutcome.FULL : CreateOutcome.CREATED);
                if (outcome != CreateOutcome.CREATED) {
                    return outcome;
                }
            }
            try (PreparedStatement statement = connection.prepareStatement(CREATE)) {
                statement.setString(1, name);
                statement.setBytes(2, hash);
                statement.setString(3, rights.role());
                statement.setArray(4, array(connection, rights.apps()));
                statement.setArray(5, array(connection, rights.grants()));
                statement.setObject(6, validFor == null ? null : validFor.toMillis(), Types.BIGINT);
                statement.executeUpdate();
            }
            return CreateOutcome.CREATED;
        });
    }

    /**
     * Replaces the token's secret.
     *
     * @param overlap how long the previous secret stays valid
     * @return empty if there is no such token
     */
    public Optional<AccessToken> rotate(String name, byte[] hash, Duration overlap) {
        return transactions.run("rotate a token", connection -> {
            try (PreparedStatement statement = connection.prepareStatement(ROTATE)) {
                statement.setLong(1, overlap.toMillis());
                statement.setBytes(2, hash);
                statement.setString(3, name);
                return read(statement).stream().findFirst().map(HashedToken::token);
            }
        });
    }

    /** Returns whether the token existed. */
    public boolean revoke(String name) {
        return transactions.run("revoke a token", connection -> {
            try (PreparedStatement statement = connection.prepareStatement(REVOKE)) {
                statement.setString(1, name);
                return statement.executeUpdate() > 0;
            }
        });
    }

    /** Records that these tokens were used a moment ago. */
    public void used(Collection<String> names) {
        transactions.run("record the use of tokens", connection -> {
            try (PreparedStatement statement = connection.prepareStatement(USED)) {
                statement.setArray(1, array(connection, names));
                return statement.executeUpdate();
            }
        });
    }

    /**
     * Stores the hash of a node's admin token, so that the other node accepts the token too. It replaces the earlier
     * token of this name. Does nothing if the same token is stored under another name.
     */
    public void putAdmin(String name, byte[] hash) {
        transactions.run("store the admin token", connection -> {
            lock(connection);
            try (PreparedStatement statement = connection.prepareStatement(REMOVE_OTHER)) {
                statement.setString(1, name);
                statement.setBytes(2, hash);
                statement.executeUpdate();
            }
            try (PreparedStatement statement = connection.prepareStatement(PUT_ADMIN)) {
                statement.setString(1, name);
                statement.setBytes(2, hash);
                statement.setBytes(3, hash);
                return statement.executeUpdate();
            }
        });
    }

    private static void lock(Connection connection) throws SQLException {
        try (PreparedStatement lock = connection.prepareStatement(ONE_WRITER)) {
            lock.execute();
        }
    }

    private static Array array(Connection connection, Collection<String> texts) throws SQLException {
        return connection.createArrayOf("text", texts.toArray());
    }

    private static List<HashedToken> read(PreparedStatement statement) throws SQLException {
        return Rows.all(
                statement,
                row -> new HashedToken(
                        new AccessToken(
                                row.getString(1),
                                row.getString(2),
                                texts(row, 3),
                                texts(row, 4),
                                new TokenTimes(
                                        row.getLong(5), row.getObject(6, Long.class), row.getObject(7, Long.class))),
                        row.getBytes(8),
                        row.getBytes(9),
                        row.getObject(10, Long.class)));
    }

    /** An element that is null names nothing, and must not keep the other tokens from being read. */
    private static List<String> texts(ResultSet row, int column) throws SQLException {
        return Arrays.stream((String[]) row.getArray(column).getArray())
                .map(text -> text == null ? "" : text)
                .toList();
    }
}
