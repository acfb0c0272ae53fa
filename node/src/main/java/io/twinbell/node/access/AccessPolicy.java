package io.twinbell.node.access;

import java.util.List;
import java.util.Optional;

/**
 * How a node finds the principal of a request.
 *
 * @param anonymous the principal of requests without credentials; empty if such requests are refused
 * @param resolvers are asked in order; the first that knows the credentials decides
 * @param advice tells a client without sufficient credentials where to find some
 */
public record AccessPolicy(Optional<Principal> anonymous, List<PrincipalResolver> resolvers, String advice) {
    /** Every client may do everything. */
    public static final AccessPolicy OPEN = new AccessPolicy(Optional.of(Principal.ANYBODY), List.of(), "");

    public AccessPolicy {
        resolvers = List.copyOf(resolvers);
    }

    /** Whether credentials are not looked at. */
    public boolean isOpen() {
        return anonymous.filter(Principal.ANYBODY::equals).isPresent();
    }

    /** @return empty if no resolver knows the credentials */
    public Optional<Principal> resolve(String credentials) {
        return resolvers.stream()
                .flatMap(resolver -> resolver.resolve(credentials).stream())
                .findFirst();
    }
}
