package io.twinbell.node.engine.task;

/**
 * Thrown if this node cannot compute the fire times of a custom schedule now: it has no such type, or the type's code
 * fails. A stored task waits until a node computes its fire times.
 */
public final class ScheduleTypeException extends ScheduleException {
    private static final long serialVersionUID = 1L;

    public ScheduleTypeException(String message) {
        super("/type", message);
    }
}
