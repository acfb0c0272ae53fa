package io.twinbell.client;

import java.time.Instant;
import java.util.Set;
import java.util.TreeSet;

/**
 * Which executions of an app are meant. Null, or an empty set of states, means no condition. Instances are immutable:
 * {@code ExecutionSelection.failed().ofTask("close-day")}.
 *
 * @param task the whole name of a task
 * @param states such as FAILED or MISSED
 * @param errorCode the code of the error of the latest attempt, such as {@code HTTP_503}
 * @param from the earliest fire time
 * @param until fire times before this one
 */
public record ExecutionSelection(String task, Set<String> states, String errorCode, Instant from, Instant until) {
    public ExecutionSelection {
        states = Set.copyOf(states);
    }

    /** All executions. */
    public static ExecutionSelection all() {
        return new ExecutionSelection(null, Set.of(), null, null, null);
    }

    /** The dead letters: executions whose last attempt FAILED or TIMED_OUT. */
    public static ExecutionSelection failed() {
        return all().inStates("FAILED", "TIMED_OUT");
    }

    /** Those of the task with this name. */
    public ExecutionSelection ofTask(String name) {
        return new ExecutionSelection(name, states, errorCode, from, until);
    }

    /** Those in one of these states, such as FAILED. */
    public ExecutionSelection inStates(String... names) {
        return new ExecutionSelection(task, Set.of(names), errorCode, from, until);
    }

    /** Those whose latest attempt had this error code. */
    public ExecutionSelection withErrorCode(String code) {
        return new ExecutionSelection(task, states, code, from, until);
    }

    /** Those with a fire time at or after this instant. */
    public ExecutionSelection from(Instant earliest) {
        return new ExecutionSelection(task, states, errorCode, earliest, until);
    }

    /** Those with a fire time before this instant. */
    public ExecutionSelection until(Instant end) {
        return new ExecutionSelection(task, states, errorCode, from, end);
    }

    /** The query parameters of the HTTP API. */
    String query(String app) {
        StringBuilder query = new StringBuilder("?app=").append(HttpTaskClient.encoded(app));
        add(query, "name", task);
        add(query, "state", states.isEmpty() ? null : String.join(",", new TreeSet<>(states)));
        add(query, "errorCode", errorCode);
        add(query, "from", from);
        add(query, "until", until);
        return query.toString();
    }

    private static void add(StringBuilder query, String name, Object value) {
        if (value != null) {
            query.append('&').append(name).append('=').append(HttpTaskClient.encoded(value.toString()));
        }
    }
}
