package io.twinbell.node.upkeep.store;

import io.twinbell.persistence.ledger.ExecutionState;
import java.util.Set;

/** Groups the final states of executions by how long the executions are kept. */
public enum RetentionClass {
    SUCCEEDED(ExecutionState.SUCCEEDED),
    /** The execution started, but did not succeed, or its outcome is unknown. */
    FAILED(ExecutionState.FAILED, ExecutionState.TIMED_OUT, ExecutionState.CANCELLED, ExecutionState.DROPPED),
    /** It never started. */
    SKIPPED(ExecutionState.SKIPPED, ExecutionState.MISSED);

    private final Set<ExecutionState> states;

    RetentionClass(ExecutionState... states) {
        this.states = Set.of(states);
    }

    public Set<ExecutionState> states() {
        return states;
    }
}
