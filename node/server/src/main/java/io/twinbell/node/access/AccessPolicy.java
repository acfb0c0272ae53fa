package io.twinbell.node.access;

import java.util.List;
import java.util.Optional;

/**
 * The rules by which a node finds the principal of a request.
 *
 * @param anonymous the principal of requests without credentials; empty if such requests are refused
 * @param resolvers are asked in order; the first that knows the credentials decides
 * @param certificates what the common names of clients' certificates permit; used for requests without credentials
 * @param advice tells a client without sufficient credentials where to find some
 */
public record AccessPolicy(
        Optional<Principal> anonymous,
        List<PrincipalResolver> resolvers,
        List<RoleMapping> certificates,
        String advice) {
    /** Every client may do everything. */
    public static final AccessPolicy OPEN = new AccessPolicy(Optional.of(Principal.ANYBODY), List.of(), "");

    public AccessPolicy {
        resolvers = List.copyOf(resolvers);
        certificates = List.copyOf(certificates);
    }

    /** A policy in which certificates permit nothing. */
    public AccessPolicy(Optional<Principal> anonymous, List<PrincipalResolver> resolvers, String advice) {
        this(anonymous, resolvers, List.of(), advice);
    }

    /**
     * Returns the principal of a request without credentials; empty if it is refused.
     *
     * @param commonName of the client's certificate, which the TLS connection has checked; null for none
     */
    public Optional<Principal> withoutCredentials(String commonName) {
        return certificates.stream()
                .filter(each -> each.value().equals(commonName))
                .findFirst()
                .map(each -> each.principal("certificate " + commonName))
                .or(() -> anonymous);
    }

    /** Returns the principal of credentials that a resolver knows without waiting; empty if {@link #resolve} must tell. */
    public Optional<Principal> recall(String credentials) {
        return resolvers.stream()
                .flatMap(resolver -> resolver.recall(credentials).stream())
                .findFirst();
    }

    /** Whether every request is permitted, so that credentials do not matter. */
    public boolean isOpen() {
        return anonymous.filter(Principal.ANYBODY::equals).isPresent();
    }

    /** Whether this is the principal of requests that say nothing about their sender. */
    public boolean isAnonymous(Principal principal) {
        return anonymous.filter(principal::equals).isPresent();
    }

    /** Names the former holder of credentials that are no longer valid; empty if no resolver knows the holder. */
    public Optional<String> formerHolder(String credentials) {
        return resolvers.stream()
                .flatMap(resolver -> resolver.formerHolder(credentials).stream())
                .findFirst();
    }

    /**
     * @return empty if no resolver knows the credentials
     * @throws UncheckedCredentialsException if a resolver cannot check them now, and no other one knows them
     */
    public Optional<Principal> resolve(String credentials) {
        UncheckedCredentialsException unchecked = null;
        for (PrincipalResolver resolver : resolvers) {
            try {
                Optional<Principal> principal = resolver.resolve(credentials);
                if (principal.isPresent()) {
                    return principal;
                }
            } catch (UncheckedCredentialsException e) {
                unchecked = e;
            }
        }
        if (unchecked != null) {
            throw unchecked;
        }
        return Optional.empty();
    }
}
