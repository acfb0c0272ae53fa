package io.twinbell.persistence.calendar;

/** Thrown when a task refers to a calendar that was removed meanwhile. */
public final class UnknownCalendarException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    UnknownCalendarException() {
        super("a calendar of the task was removed concurrently", null, false, false);
    }
}
