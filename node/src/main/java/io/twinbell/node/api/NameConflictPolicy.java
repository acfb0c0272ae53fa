package io.twinbell.node.api;

import io.javalin.http.Context;

/** What becomes of a task that has the name already. */
enum NameConflictPolicy {
    REFUSE,
    /** It stays as it is. */
    KEEP,
    REPLACE;

    static final String PARAMETER = "ifExists";

    static NameConflictPolicy of(Context context, NameConflictPolicy otherwise) {
        return of(QueryParameters.of(context), otherwise);
    }

    static NameConflictPolicy of(QueryParameters query, NameConflictPolicy otherwise) {
        NameConflictPolicy given = query.choice(PARAMETER, NameConflictPolicy.class);
        return given == null ? otherwise : given;
    }
}
