package io.twinbell.node.access.store;

import java.util.List;

/**
 * A token of the HTTP API.
 *
 * @param role the name of a role
 * @param apps the only apps of the token; empty for all
 * @param grants names of grants
 * @param times when it was created and used, and when it ends
 */
public record AccessToken(String name, String role, List<String> apps, List<String> grants, TokenTimes times) {

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
}
