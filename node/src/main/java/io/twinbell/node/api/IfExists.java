package io.twinbell.node.api;

import io.javalin.http.Context;

/** What becomes of a task that has the name already. */
enum IfExists {
    REFUSE,
    /** It stays as it is. */
    KEEP,
    REPLACE;

    static final String PARAMETER = "ifExists";

    static IfExists of(Context context, IfExists otherwise) {
        return of(QueryParameters.of(context), otherwise);
    }

    static IfExists of(QueryParameters query, IfExists otherwise) {
        IfExists given = query.choice(PARAMETER, IfExists.class);
        return given == null ? otherwise : given;
    }
}
