package io.twinbell.node.api.exchange;

import io.twinbell.node.json.InvalidJsonException;

/** Limits the number of errors in one answer: 10,000 errors would make it a hundred times as long as the request. */
public final class ErrorBudget {
    static final int MOST_ERRORS = InvalidJsonException.MOST_SHOWN;

    private int shown;
    private int leftOut;

    /** Returns the problem with as many of its errors as the budget still allows. */
    public Problem shown(Problem problem) {
        Problem cut = problem.withErrors(MOST_ERRORS - shown);
        shown += cut.errors().size();
        leftOut += problem.errors().size() - cut.errors().size();
        return cut;
    }

    /** The number of errors that were left out. */
    public int leftOut() {
        return leftOut;
    }
}
