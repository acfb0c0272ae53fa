package io.twinbell.node.execution.store;

import io.twinbell.persistence.ledger.ExecutionState;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.Set;

/**
 * A filter on executions. Null, or an empty set, means no condition.
 *
 * @param fromMillis the earliest fire time
 * @param untilMillis fire times before this one
 * @param node the node that claimed the execution last
 * @param epoch the epoch of the latest claim
 * @param errorCode the code of the error of the latest attempt
 * @param inDoubt only executions that may have run on a primary that was lost together with its master
 */
public record ExecutionFilter(
        OfTask task,
        Set<ExecutionState> states,
        Long fromMillis,
        Long untilMillis,
        String node,
        Long epoch,
        String errorCode,
        boolean inDoubt) {
    public ExecutionFilter {
        states = states.isEmpty() ? Set.of() : Set.copyOf(EnumSet.copyOf(states));
    }

    /**
     * The condition on the task.
     *
     * @param name the whole name
     * @param tag a tag that the task has now; a removed task has none
     */
    public record OfTask(Long id, String app, String name, String tag) {
        public static final OfTask ANY = new OfTask(null, null, null, null);
    }

    /**
     * The executions of one app.
     *
     * @param name the name of their task
     * @param states names of states
     * @throws IllegalArgumentException if there is no such state
     */
    public static ExecutionFilter ofApp(
            String app, String name, Set<String> states, Long fromMillis, Long untilMillis, String errorCode) {
        Set<ExecutionState> known = EnumSet.noneOf(ExecutionState.class);
        states.forEach(state -> known.add(state(state)));
        OfTask task = new OfTask(null, app, name, null);
        return new ExecutionFilter(task, known, fromMillis, untilMillis, null, null, errorCode, false);
    }

    private static ExecutionState state(String name) {
        ExecutionState[] all = ExecutionState.values();
        return Arrays.stream(all)
                .filter(state -> state.name().equals(name))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException(
                        "there is no state " + name + "; there are " + Arrays.toString(all)));
    }

    public static ExecutionFilter ofTask(long taskId) {
        return new ExecutionFilter(new OfTask(taskId, null, null, null), Set.of(), null, null, null, null, null, false);
    }
}
