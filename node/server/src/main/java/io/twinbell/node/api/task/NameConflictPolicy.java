package io.twinbell.node.api.task;

import io.twinbell.node.api.exchange.QueryParameters;

/** What to do if a task of the same name exists. */
enum NameConflictPolicy {
    REFUSE,
    /** The existing task stays unchanged. */
    KEEP,
    REPLACE;

    static final String PARAMETER = "ifExists";

    static NameConflictPolicy of(QueryParameters query, NameConflictPolicy otherwise) {
        NameConflictPolicy given = query.choice(PARAMETER, NameConflictPolicy.class);
        return given == null ? otherwise : given;
    }
}
