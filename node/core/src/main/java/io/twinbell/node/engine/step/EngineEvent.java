package io.twinbell.node.engine.step;

/**
 * Events of the engine that one part raises and another part waits for. An event carries no value: the part that is
 * woken reads the queue or registry that has changed. {@code Engine} connects each event to what it wakes.
 */
public enum EngineEvent {
    /** Any thread has queued an action for the trigger. */
    ACTION_ADDED,
    /** Firing began, ended, or was paused or resumed. */
    FIRING_CHANGED,
    /** The trigger has put due tasks into the inbox. */
    TASKS_DUE,
    /** A task is to be read again: its row was written, a run that it waited for has ended, or its claim vanished. */
    TASK_CHANGED,
    /** The recorder has recorded outcomes, so more may be claimed. */
    ROOM_FREED,
    /** A limit was set or removed. */
    LIMITS_CHANGED,
    /** The history of a rate limit was read, so more may be claimed. */
    LIMIT_HISTORY_READ,
    /** The master's heartbeat has requested the checks that find what notifications missed. */
    HEARTBEAT_MADE,
    /** This node has become master. */
    EPOCH_BEGUN,
    /** Waiting rows or skipped slots were entered in the ledger. */
    LEDGER_CHANGED,
    /** Firing was paused or resumed for the cluster. */
    PAUSE_CHANGED,
    /** The time has come at which the last known pause ends. */
    PAUSE_ENDED,
    /** The executor replaces an execution that waits in the ledger by a newer slot. */
    EXECUTION_REPLACED,
    /** A run has ended, or its row is to be marked, and the recorder writes that. */
    OUTCOME_ADDED,
    /** A run is to be parked, a parked run was accepted or has an outcome, or a parked attempt was answered. */
    CALLBACKS_CHANGED,
    /** The claimer needs to know for a rate limit what started before this epoch. */
    LIMIT_HISTORY_WANTED
}
