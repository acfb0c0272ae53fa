package io.twinbell.persistence.calendar;

import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Stores calendars as people write them. All methods throw
 * {@link io.twinbell.persistence.database.DatabaseUnavailableException} if the database does not answer.
 */
public interface CalendarStore extends CalendarSource {
    /** The maximum number of calendars. */
    int MAX_CALENDARS = 1000;

    /**
     * Stores the calendar under its name and notifies both nodes. Storing the same content again changes nothing.
     *
     * @param source may be null
     * @param expectedVersion the version that must be replaced; null for any
     */
    PutResult put(String name, String content, String source, Long expectedVersion);

    Optional<StoredCalendar> find(String name);

    /** At most {@code limit} calendars with a name above {@code afterName}, in the order of their names. */
    List<StoredCalendar> list(String afterName, int limit);

    /** Removes the calendar, unless tasks or alerts use it. */
    Removal remove(String name);

    /**
     * Returns the tasks that respect the calendar, and the alerts that use it.
     *
     * @param apps counts only tasks of these apps, and no alerts; empty for all
     */
    Users users(String name, Set<String> apps);

    /**
     * The tasks and alerts that use a calendar.
     *
     * @param some at most ten of them: alerts before tasks, tasks in the order of their ids
     */
    record Users(long count, List<User> some) {}

    /**
     * A task or an alert that uses a calendar.
     *
     * @param taskId the task's id; null for an alert
     * @param app the task's app; null for an alert
     * @param name the name of the task or of the alert
     */
    record User(Long taskId, String app, String name) {
        public boolean isAlert() {
            return taskId == null;
        }

        /** Returns {@code app/name (id)}, or {@code alert NAME}, for messages. */
        public String text() {
            return isAlert() ? "alert " + name : app + "/" + name + " (" + taskId + ")";
        }
    }

    /**
     * The result of a put.
     *
     * @param calendar the stored calendar; null if there is none
     */
    record PutResult(PutOutcome outcome, StoredCalendar calendar) {}

    /** The outcomes of a put. */
    enum PutOutcome {
        CREATED,
        REPLACED,
        UNCHANGED,
        /** The stored version is not the expected one. */
        CONFLICT,
        /** There are {@link #MAX_CALENDARS} already. */
        FULL
    }

    /**
     * The result of a removal. The calendar was removed if it existed and nothing uses it.
     */
    record Removal(boolean existed, Users users) {}
}
