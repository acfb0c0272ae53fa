package io.twinbell.persistence.audit;

/** What entries of the audit say was done or attempted. */
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
