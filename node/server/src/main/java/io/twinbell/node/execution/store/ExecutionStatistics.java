package io.twinbell.node.execution.store;

import io.twinbell.persistence.ledger.ExecutionState;
import java.util.List;
import java.util.OptionalLong;

/**
 * Statistics of a task's slots in a range of fire times.
 *
 * @param states the number of executions in each state that occurs
 * @param duration from start to end, of the runs that have both
 * @param lateness from fire time to start, of the runs that started
 */
public record ExecutionStatistics(List<Count> states, Percentiles duration, Percentiles lateness) {
    /** @param slots the number of slots that the rows stand for */
    public record Count(ExecutionState state, long executions, long slots) {}

    /** In milliseconds; empty if there are no values. */
    public record Percentiles(OptionalLong median, OptionalLong p99, OptionalLong max) {}
}
