package io.twinbell.node.execution.store;

import io.twinbell.persistence.database.Conditions;
import io.twinbell.persistence.ledger.ExecutionState;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;

/** Translates a filter to SQL conditions that match the ledger's indexes. */
final class ExecutionConditions {
    /** The bounds on the fire time let the planner select the partitions. */
    private static final String IN_DOUBT = """
            (task_id, fire_time) in (select task_id, fire_time from twinbell.slot_in_doubt)
            and fire_time >= (select min(fire_time) from twinbell.slot_in_doubt)
            and fire_time <= (select max(fire_time) from twinbell.slot_in_doubt)""";

    private ExecutionConditions() {}

    static Conditions of(ExecutionFilter filter) {
        ExecutionFilter.OfTask task = filter.task();
        Conditions conditions = new Conditions()
                .andIfGiven("task_id = ?", task.id())
                // In addition to the ids: the planner expects to fill the page soon, and would otherwise compare each
                // execution with each task of a large app.
                .andIfGiven("app = ?", task.app())
                .andIfGiven(
                        "task_id in (select id from twinbell.full_task where tags <> '{}' and tags @> array[?::text])",
                        task.tag())
                .andIfGiven("fire_time >= twinbell.instant(?)", filter.fromMillis())
                .andIfGiven("fire_time < twinbell.instant(?)", filter.untilMillis())
                .andIfGiven("node = ?", filter.node())
                .andIfGiven("epoch = ?", filter.epoch())
                .andIfGiven("error_code = ?", filter.errorCode());
        if (filter.inDoubt()) {
            conditions.and(IN_DOUBT);
        }
        known(conditions, "app", task.app());
        known(conditions, "name", task.name());
        return filter.states().isEmpty() ? conditions : conditions.and(inStates(filter.states()));
    }

    /** Selects the ids of existing and removed tasks first, and then the executions by the ledger's primary key. */
    private static void known(Conditions conditions, String column, String value) {
        if (value != null) {
            conditions.and(String.format(Locale.ROOT, """
                    task_id in (select id from twinbell.task where %1$s = ?
                      union all select task_id from twinbell.removed_task where %1$s = ?)""", column), value, value);
        }
    }

    /**
     * Literals, not parameters: PostgreSQL uses a partial index only if the values are known when the statement is
     * planned.
     */
    private static String inStates(Set<ExecutionState> states) {
        return states.stream()
                .sorted()
                .map(state -> "'" + state + "'")
                .collect(Collectors.joining(", ", "state in (", ")"));
    }
}
