package io.twinbell.node.access;

import java.util.Arrays;
import java.util.List;
import java.util.Set;

/**
 * The authenticated sender of a request.
 *
 * @param name the name in logs, such as {@code token deploy}
 * @param apps the only apps that the principal sees and changes; empty if it is bound to none
 */
public record Principal(String name, AccessRole role, Set<String> apps, Set<Grant> grants) {
    /** Everybody, on a node without access control. */
    public static final Principal ANYBODY = new Principal("anybody", AccessRole.ADMIN, Set.of(), Set.of());

    /** The sender of a request to a route that is open to everybody. */
    public static final Principal NOBODY = new Principal("nobody", AccessRole.VIEWER, Set.of(), Set.of());

    public Principal {
        apps = Set.copyOf(apps);
        grants = Set.copyOf(grants);
    }

    public boolean may(Permission permission) {
        return role.permits(permission);
    }

    public boolean mayUse(Grant grant) {
        return role == AccessRole.ADMIN && !isBound() || grants.contains(grant);
    }

    /** The words of the grants that the principal does not have. */
    public List<String> lacking() {
        return Arrays.stream(Grant.values())
                .filter(grant -> !mayUse(grant))
                .map(Grant::word)
                .toList();
    }

    /** Whether the principal is bound to some apps. */
    public boolean isBound() {
        return !apps.isEmpty();
    }

    public boolean sees(String app) {
        return !isBound() || apps.contains(app);
    }
}
