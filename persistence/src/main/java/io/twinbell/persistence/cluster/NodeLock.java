package io.twinbell.persistence.cluster;

/**
 * Keeps a second process from running under the same node id. It goes with the process, so a restarted node gets it as
 * soon as the server has seen its predecessor's end.
 */
public interface NodeLock {
    /** Takes the lock if it is free or ours; false if another process has it. */
    boolean hold();

    /** Who has the lock, for a message. */
    String holder();
}
