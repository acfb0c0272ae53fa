package io.twinbell.client;

/**
 * The identity of a stored task, and what the call found that stored it.
 *
 * @param result whether this call created the task
 */
public record StoredTask(long id, String app, String name, StoreResult result) {
    /** What a call did that stores a task. */
    public enum StoreResult {
        /** No task of this name existed, or it had fired for the last time: the task is new. */
        CREATED,
        /** A task of this name existed, and stays as it is. The call had no effect. */
        KEPT,
        /** A task of this name existed, and has the given definition now, or had it already. */
        REPLACED,
        /**
         * A task of this name exists, but this call does not know whether it is the one that created it. Over HTTP, an
         * answer was lost, and the repeated request found the task.
         */
        UNKNOWN;

        /** Reads the word of an SQL function; a word that this library does not know is UNKNOWN. */
        static StoreResult of(String word) {
            for (StoreResult result : values()) {
                if (result.name().equals(word)) {
                    return result;
                }
            }
            return UNKNOWN;
        }

        /** The result of a call that found a task of this name, and did not refuse it. */
        static StoreResult ofExisting(IfTaskExists ifExists) {
            return ifExists == IfTaskExists.REPLACE ? REPLACED : KEPT;
        }
    }

    /** A task that was stored before, for example to await its {@link HttpTaskClient#outcome}. The result is UNKNOWN. */
    public StoredTask(long id, String app, String name) {
        this(id, app, name, StoreResult.UNKNOWN);
    }
}
