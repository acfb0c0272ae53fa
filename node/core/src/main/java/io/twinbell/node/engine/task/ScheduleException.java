package io.twinbell.node.engine.task;

/** Thrown if a schedule is invalid; the message is written for the user. */
public final class ScheduleException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final String pointer;

    public ScheduleException(String pointer, String message) {
        // A refusal is an expected answer, so the costly stack trace is left out.
        super(message, null, false, false);
        this.pointer = pointer;
    }

    /**
     * Returns the JSON pointer to the invalid member, relative to the schedule: {@code "/cron"}, or {@code ""} for the
     * whole schedule.
     */
    public String pointer() {
        return pointer;
    }
}
