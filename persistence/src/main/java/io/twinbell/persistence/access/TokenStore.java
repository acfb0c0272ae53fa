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

    /** What the name of a node's admin token begins with, followed by the id of the node. */
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
     * Makes the token of a node's administrator known to the other node, in place of an earlier one of this name. Does
     * nothing if another name has the same token.
     */
    void putAdmin(String name, byte[] hash);

    /** What a token permits. */
    record TokenRights(String role, List<String> apps, List<String> grants) {}
}
