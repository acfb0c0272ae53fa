package io.twinbell.persistence.task;

/** A task was to be stored with a calendar that somebody has removed meanwhile. */
public final class UnknownCalendarException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    UnknownCalendarException() {
        super("one of the task's calendars was removed meanwhile", null, false, false);
    }
}
