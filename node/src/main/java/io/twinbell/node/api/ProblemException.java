package io.twinbell.node.api;

/** Ends a request with a problem response. */
final class ProblemException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final transient Problem problem;

    ProblemException(Problem problem) {
        // A refusal is an expected answer, so the stack trace is left out.
        super(problem.detail(), null, false, false);
        this.problem = problem;
    }

    ProblemException(ProblemType type, String detail) {
        this(Problem.of(type, detail));
    }

    Problem problem() {
        return problem;
    }
}
