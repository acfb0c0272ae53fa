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

    /** How a request relates to apps. It determines how a principal that is bound to apps is limited. */
    public enum AppScope {
        /** Concerns no app, so that bound principals may send the request too. */
        NONE,
        /** Concerns the whole pair; bound principals are refused. */
        PAIR,
        /** The path names the app. */
        APP_IN_PATH,
        /** The path has the id of a task. */
        TASK_IN_PATH,
        /** The path has the id of an execution. */
        EXECUTION_IN_PATH,
        /** The parameter {@code app} selects the app. */
        APP_IN_QUERY,
        /** The path has a key: {@code app:…} concerns that app, and every other key the whole pair. */
        KEY_IN_PATH,
        /**
         * The path has the name of an alert; bound principals have access to alerts that select tasks of their apps.
         */
        ALERT_IN_PATH,
        /** The route checks each task of the body with {@link TaskAccess}. */
        IN_BODY,
        /** The route leaves the rows of other apps out of its answer. */
        FILTERED
    }
}
