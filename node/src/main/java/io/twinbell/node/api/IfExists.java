package io.twinbell.node.api;

import io.javalin.http.Context;
import java.util.Set;

/** What becomes of a task that has the name already. */
enum IfExists {
    REFUSE,
    /** It stays as it is. */
    KEEP,
    REPLACE;

    private static final String PARAMETER = "ifExists";

    static IfExists of(Context context, IfExists otherwise) {
        IfExists given = QueryParameters.of(context, Set.of(PARAMETER)).choice(PARAMETER, IfExists.class);
        return given == null ? otherwise : given;
    }
}
