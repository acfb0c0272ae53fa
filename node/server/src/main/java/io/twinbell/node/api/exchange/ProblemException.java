package io.twinbell.node.api.exchange;

/** Ends a request with a problem response. */
public final class ProblemException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final transient Problem problem;

    public ProblemException(Problem problem) {
        // A refusal is an expected answer, so the stack trace is left out.
        super(problem.detail(), null, false, false);
        this.problem = problem;
    }

    public ProblemException(ProblemType type, String detail) {
        this(Problem.of(type, detail));
    }

    Problem problem() {
        return problem;
    }
}
