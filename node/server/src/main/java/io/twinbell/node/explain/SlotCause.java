package io.twinbell.node.explain;

/** Why a task ran, did not run, or will run at an instant. The sentence of an explanation gives the details. */
public enum SlotCause {
    /** It ran and has an outcome. */
    RAN,
    /** It is claimed or running now. */
    RUNNING,
    /** It runs, and its outcome comes by a callback. */
    WAITS_FOR_CALLBACK,
    /** An attempt failed; the next one is due later. */
    WAITS_FOR_RETRY,
    WAITS_FOR_LIMIT,
    /** No node that could claim it knows its handler. */
    WAITS_FOR_HANDLER,
    /** It waits for an earlier run of its task. */
    WAITS_FOR_RUN,
    /** It is due; the master has not claimed it yet. */
    WAITS_FOR_CLAIM,
    /** It is due; no node is master. */
    NO_MASTER,
    /** An earlier run of its task was unfinished, or a later slot took its place. */
    OVERLAP,
    QUEUE_FULL,
    /** An interceptor skipped it. */
    INTERCEPTED,
    TASK_PAUSED,
    /** All firing was paused, or that of its app, tag or handler. */
    FIRING_PAUSED,
    /** It was not claimed before its misfire threshold had passed. */
    MISSED,
    /** It had not started within expireAfter of its fire time. */
    EXPIRED,
    /** Its row would have been older than the retention of the ledger. */
    TOO_OLD,
    /** An operator chose not to run it after a restore. */
    RESTORED,
    /** It may have run on a primary that was lost together with its master. */
    IN_DOUBT,
    /** Its master ended without recording an outcome, and the task drops such executions or has no attempt left. */
    ORPHANED,
    CANCELLED,
    TASK_REMOVED,
    /** A person moved the next fire time past it. */
    MOVED_BY_HAND,
    ZONE_RULES_CHANGED,
    /** It was to follow another execution, and was refused. */
    CHAIN_REFUSED,
    EXCLUDED_BY_CALENDAR,
    /** Its local time does not exist on that day; the task fires at the first instant after the gap. */
    SHIFTED_BY_CLOCK_CHANGE,
    /** Its local time does not exist on that day, or is the second of two, and the task does not fire then. */
    SKIPPED_BY_CLOCK_CHANGE,
    BEFORE_START,
    AFTER_END,
    /** The task has used all of its runs, or its schedule has no further fire time. */
    FINISHED,
    /** The definition of the task cannot be read. */
    TASK_ERROR,
    BEFORE_CREATION,
    /** The timing of the task was set later. */
    BEFORE_EDIT,
    /** Retention has deleted rows of that time. */
    DELETED_BY_RETENTION,
    NOT_A_FIRE_TIME,
    /** It lies in the future, and nothing prevents it. */
    WILL_FIRE,
    /** The ledger has no row although it should. */
    UNACCOUNTED
}
