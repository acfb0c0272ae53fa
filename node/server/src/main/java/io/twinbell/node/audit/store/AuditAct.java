package io.twinbell.node.audit.store;

/** The acts that entries of the audit can name: what was done or attempted. */
public enum AuditAct {
    CREATE,
    CHANGE,
    REMOVE,
    REMOVE_ALL,
    PAUSE,
    RESUME,
    MOVE,
    ACTIVATE,
    BACKFILL,
    CATCH_UP,
    ERROR,
    FINISH,
    TRIGGER,
    RERUN,
    CANCEL,
    RELEASE,
    HOLD,
    PROMOTE,
    ROTATE,
    SIGN_IN,
    REQUEST,
    CONNECT
}
