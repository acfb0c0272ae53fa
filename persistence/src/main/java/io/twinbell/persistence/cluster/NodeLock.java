package io.twinbell.persistence.cluster;

/**
 * Prevents a second process from running under the same node id. The lock ends with the process, so a restarted node
 * gets it as soon as the server has noticed its predecessor's end.
 */
public interface NodeLock {
    /** Takes the lock if it is free or held by this process; false if another process holds it. */
    boolean acquire();

    /** A description of the lock holder, for messages. */
    String holder();
}
