package io.twinbell.persistence.access;

import io.twinbell.persistence.access.AccessToken.HashedToken;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Optional;

/**
 * Stores tokens. All methods throw {@link io.twinbell.persistence.database.DatabaseUnavailableException} if the
 * database does not answer.
 */
public interface TokenStore {
    int MAX_TOKENS = 1000;

    /** The prefix of the name of a node's admin token; the id of the node follows it. */
    String ADMIN_OF = "node ";

    /** How an attempt to create a token ended. */
    enum CreateOutcome {
        CREATED,
        NAME_TAKEN,
        FULL
    }

    /** All tokens, by name. */
    List<HashedToken> all();

    /** @param validFor null if the token never expires */
    CreateOutcome create(String name, byte[] hash, TokenRights rights, Duration validFor);

    /**
     * Replaces the token's secret.
     *
     * @param overlap how long the previous secret stays valid
     * @return empty if there is no such token
     */
    Optional<AccessToken> rotate(String name, byte[] hash, Duration overlap);

    /** Returns whether the token existed. */
    boolean revoke(String name);

    /** Records that these tokens were used a moment ago. */
    void used(Collection<String> names);

    /**
     * Stores the hash of a node's admin token, so that the other node accepts the token too. It replaces the earlier
     * token of this name. Does nothing if the same token is stored under another name.
     */
    void putAdmin(String name, byte[] hash);

    /** What a token permits. */
    record TokenRights(String role, List<String> apps, List<String> grants) {}
}
