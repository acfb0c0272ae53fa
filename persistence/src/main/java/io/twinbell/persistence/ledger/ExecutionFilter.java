package io.twinbell.persistence.ledger;

/**
 * Which executions are meant; null asks for nothing.
 *
 * @param name the whole name
 * @param tag that the task has today
 * @param fromMillis the earliest fire time
 * @param untilMillis fire times before this one
 */
public record ExecutionFilter(
        Long taskId, String app, String name, String tag, ExecutionState state, Long fromMillis, Long untilMillis) {
    public static final ExecutionFilter ALL = new ExecutionFilter(null, null, null, null, null, null, null);

    public static ExecutionFilter ofTask(long taskId) {
        return new ExecutionFilter(taskId, null, null, null, null, null, null);
    }
}
