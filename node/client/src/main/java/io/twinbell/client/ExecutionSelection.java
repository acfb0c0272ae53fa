package io.twinbell.client;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Set;
import java.util.TreeSet;

/**
 * Which executions of an app are meant. Null, or an empty set of states, means no condition. Instances are immutable:
 * {@code ExecutionSelection.failed().ofTask("close-day")}.
 *
 * @param task the whole name of a task
 * @param states such as FAILED or MISSED
 * @param errorCode the code of the error of the latest attempt, such as {@code HTTP_503}
 * @param from the earliest fire time; rounded up to a whole millisecond, as fire times are
 * @param until fire times before this one; rounded in the same way
 */
public record ExecutionSelection(String task, Set<String> states, String errorCode, Instant from, Instant until) {
    public ExecutionSelection {
        states = Set.copyOf(states);
        from = wholeMillis(from);
        until = wholeMillis(until);
    }

    private static Instant wholeMillis(Instant instant) {
        return instant == null ? null : instant.plusNanos(999_999).truncatedTo(ChronoUnit.MILLIS);
    }

    /** All executions. */
    public static ExecutionSelection all() {
        return new ExecutionSelection(null, Set.of(), null, null, null);
    }

    /**
     * The dead letters: executions whose last attempt FAILED or TIMED_OUT, and those that were DROPPED because their node
     * died.
     */
    public static ExecutionSelection failed() {
        return all().inStates("FAILED", "TIMED_OUT", "DROPPED");
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

    /** The selection of the SQL functions. */
    String json() {
        ObjectNode json = ClientJson.object().put("name", task).put("errorCode", errorCode);
        if (!states.isEmpty()) {
            json.set("state", ClientJson.tree(new TreeSet<>(states)));
        }
        json.put("from", from == null ? null : from.toString());
        json.put("until", until == null ? null : until.toString());
        return json.toString();
    }

    private static void add(StringBuilder query, String name, Object value) {
        if (value != null) {
            query.append('&').append(name).append('=').append(HttpTaskClient.encoded(value.toString()));
        }
    }
}
