package io.twinbell.node.api;

import io.twinbell.node.json.InvalidJsonException;

/** How many errors one answer may still show: a list of 10,000 mistakes would make it a hundred times as long as the request. */
final class ErrorBudget {
    static final int MOST_ERRORS = InvalidJsonException.MOST_SHOWN;

    private int shown;
    private int leftOut;

    /** The problem with as many of its errors as there is still room for. */
    Problem shown(Problem problem) {
        Problem cut = problem.withErrors(MOST_ERRORS - shown);
        shown += cut.errors().size();
        leftOut += problem.errors().size() - cut.errors().size();
        return cut;
    }

    /** How many errors were not shown. */
    int leftOut() {
        return leftOut;
    }
}
