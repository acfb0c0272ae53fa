package io.twinbell.node.access;

import java.util.Optional;

/** Finds the principal of one kind of credentials, such as tokens of the database. */
@FunctionalInterface
public interface PrincipalResolver {
    /**
     * @param credentials what follows {@code Authorization: Bearer}
     * @return empty if this resolver does not know the credentials
     * @throws UncheckedCredentialsException if they may be of this resolver's kind, and it cannot check them now
     */
    Optional<Principal> resolve(String credentials);

    /**
     * Finds the principal without waiting for anything, so that a flood of unknown credentials does not delay known ones.
     *
     * @return empty if only {@link #resolve} can tell
     */
    default Optional<Principal> recall(String credentials) {
        return Optional.empty();
    }

    /**
     * Names the former holder of credentials that are no longer valid, for the audit.
     *
     * @return empty if this resolver does not know the holder
     */
    default Optional<String> formerHolder(String credentials) {
        return Optional.empty();
    }
}
