package io.twinbell.node.access;

import java.util.Set;

/**
 * What a name from outside permits: a role in the token of a provider, or the common name of a client's certificate.
 *
 * @param value the name
 * @param apps the only apps; empty for all
 */
public record RoleMapping(String value, AccessRole role, Set<String> apps, Set<Grant> grants) {
    public RoleMapping {
        apps = Set.copyOf(apps);
        grants = Set.copyOf(grants);
    }

    /** @param name of the principal in logs */
    public Principal principal(String name) {
        return new Principal(name, role, apps, grants);
    }
}
