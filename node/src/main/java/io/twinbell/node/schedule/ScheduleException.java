package io.twinbell.node.schedule;

/** A schedule that can't be accepted; the message is written for the person who typed it. */
public final class ScheduleException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final String pointer;

    public ScheduleException(String pointer, String message) {
        // A refusal is an answer, not a fault: nobody reads its stack, and hostile input would pay for it.
        super(message, null, false, false);
        this.pointer = pointer;
    }

    /** A JSON pointer to the member at fault, relative to the schedule: {@code "/cron"}, or {@code ""} for the whole. */
    public String pointer() {
        return pointer;
    }
}
