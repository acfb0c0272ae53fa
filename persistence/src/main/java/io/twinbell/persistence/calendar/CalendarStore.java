package io.twinbell.persistence.calendar;

import java.util.List;
import java.util.Optional;

/**
 * The calendars, as people write them. All methods throw
 * {@link io.twinbell.persistence.database.DatabaseUnavailableException} if the database does not answer.
 */
public interface CalendarStore extends CalendarSource {
    /** There are never more. */
    int MAX_CALENDARS = 1000;

    /**
     * Stores the calendar under its name and tells both nodes. The same content once more changes nothing.
     *
     * @param source may be null
     * @param expectedVersion null if it does not matter which version is replaced
     */
    Put put(String name, String content, String source, Long expectedVersion);

    Optional<StoredCalendar> find(String name);

    /** At most {@code limit} calendars with a name above {@code afterName}, in the order of their names. */
    List<StoredCalendar> list(String afterName, int limit);

    /** Removes the calendar, unless tasks or alerts respect it. */
    Removal remove(String name);

    /**
     * What became of a put.
     *
     * @param calendar as it is stored now; null if there is none
     */
    record Put(PutOutcome outcome, StoredCalendar calendar) {}

    /** The ways in which a put may end. */
    enum PutOutcome {
        CREATED,
        REPLACED,
        UNCHANGED,
        /** Another version is stored than was expected. */
        CONFLICT,
        /** There are {@link #MAX_CALENDARS} already. */
        FULL
    }

    /**
     * What became of a removal: it was carried out if the calendar existed and nobody respects it.
     *
     * @param respecting how many tasks and alerts respect it
     * @param some of them, at most ten, as {@code app/name (id)} or {@code alert NAME}
     */
    record Removal(boolean existed, long respecting, List<String> some) {}
}
