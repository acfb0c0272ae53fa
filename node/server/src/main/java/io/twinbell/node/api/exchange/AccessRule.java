package io.twinbell.node.api.exchange;

import io.twinbell.node.access.Permission;

/**
 * What a route requires of the principal.
 *
 * @param permission null if the route is open to everybody
 */
public record AccessRule(Permission permission, AppScope scope) {
    /** Open to everybody, also without credentials. */
    public static final AccessRule OPEN = new AccessRule(null, AppScope.NONE);

    /** Open to every client; without a token, the answer contains less. */
    public static final AccessRule OPEN_IN_PART = new AccessRule(null, AppScope.FILTERED);

    public static AccessRule read(AppScope scope) {
        return new AccessRule(Permission.READ, scope);
    }

    public static AccessRule operate(AppScope scope) {
        return new AccessRule(Permission.OPERATE, scope);
    }

    public static AccessRule edit(AppScope scope) {
        return new AccessRule(Permission.EDIT, scope);
    }

    public static AccessRule admin() {
        return new AccessRule(Permission.ADMIN, AppScope.PAIR);
    }
}
