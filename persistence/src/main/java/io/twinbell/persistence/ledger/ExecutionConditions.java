package io.twinbell.persistence.ledger;

import io.twinbell.persistence.database.Conditions;
import java.util.Set;
import java.util.stream.Collectors;

/** Says a filter in SQL, in the words of the indexes that serve it. */
final class ExecutionConditions {
    /** The bounds say which of the ledger's days are meant. */
    private static final String IN_DOUBT =
            "(task_id, fire_time) in (select task_id, fire_time from twinbell.slot_in_doubt)"
                    + " and fire_time >= (select min(fire_time) from twinbell.slot_in_doubt)"
                    + " and fire_time <= (select max(fire_time) from twinbell.slot_in_doubt)";

    private ExecutionConditions() {}

    static Conditions of(ExecutionFilter filter) {
        ExecutionFilter.OfTask task = filter.task();
        Conditions conditions = new Conditions()
                .andIfGiven("task_id = ?", task.id())
                .andIfGiven(
                        "task_id in (select id from twinbell.task where tags <> '{}' and tags @> array[?::text])",
                        task.tag())
                .andIfGiven("fire_time >= twinbell.instant(?)", filter.fromMillis())
                .andIfGiven("fire_time < twinbell.instant(?)", filter.untilMillis())
                .andIfGiven("node = ?", filter.node())
                .andIfGiven("epoch = ?", filter.epoch());
        if (filter.inDoubt()) {
            conditions.and(IN_DOUBT);
        }
        known(conditions, "app", task.app());
        known(conditions, "name", task.name());
        return filter.states().isEmpty() ? conditions : conditions.and(inStates(filter.states()));
    }

    /** By the tasks that are or were, and then by the ledger's own key. */
    private static void known(Conditions conditions, String column, String value) {
        if (value != null) {
            conditions.and(
                    "task_id in (select id from twinbell.task where " + column + " = ?"
                            + " union all select task_id from twinbell.removed_task where " + column + " = ?)",
                    value,
                    value);
        }
    }

    /** Written out and not bound: a partial index serves only what is known when the statement is planned. */
    private static String inStates(Set<ExecutionState> states) {
        return states.stream()
                .sorted()
                .map(state -> "'" + state + "'")
                .collect(Collectors.joining(", ", "state in (", ")"));
    }
}
