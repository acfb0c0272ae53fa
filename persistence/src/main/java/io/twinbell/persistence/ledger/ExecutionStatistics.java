package io.twinbell.persistence.ledger;

import java.util.List;
import java.util.OptionalLong;

/**
 * What became of a task's slots in a span of fire times.
 *
 * @param states how many there are in each state, only of those that occur
 * @param duration from start to end, of the runs that have both
 * @param lateness from the fire time to the start, of the runs that started
 */
public record ExecutionStatistics(List<Count> states, Spread duration, Spread lateness) {
    /** @param slots how many slots the rows stand for */
    public record Count(ExecutionState state, long executions, long slots) {}

    /** Milliseconds; empty if nothing was measured. */
    public record Spread(OptionalLong median, OptionalLong p99, OptionalLong max) {}
}
