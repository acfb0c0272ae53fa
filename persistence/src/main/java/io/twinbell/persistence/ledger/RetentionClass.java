package io.twinbell.persistence.ledger;

import java.util.Set;

/** What the ends of executions have in common, as far as it decides how long they are kept. */
public enum RetentionClass {
    SUCCEEDED(ExecutionState.SUCCEEDED),
    /** It was begun, and did not succeed or nobody knows. */
    FAILED(ExecutionState.FAILED, ExecutionState.TIMED_OUT, ExecutionState.CANCELLED, ExecutionState.DROPPED),
    /** It was never begun. */
    SKIPPED(ExecutionState.SKIPPED, ExecutionState.MISSED);

    private final Set<ExecutionState> states;

    RetentionClass(ExecutionState... states) {
        this.states = Set.of(states);
    }

    public Set<ExecutionState> states() {
        return states;
    }
}
