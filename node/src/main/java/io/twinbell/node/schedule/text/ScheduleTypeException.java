package io.twinbell.node.schedule.text;

/**
 * Thrown if a schedule of one's own gives no fire time here and now: this node has no such type, or its code fails. A
 * stored task waits until a node computes its fire times.
 */
public final class ScheduleTypeException extends ScheduleException {
    private static final long serialVersionUID = 1L;

    public ScheduleTypeException(String message) {
        super("/type", message);
    }
}
