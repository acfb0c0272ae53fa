package io.twinbell.node.engine;

import io.twinbell.node.calendar.CalendarBook;
import io.twinbell.node.schedule.BusinessCalendar;
import io.twinbell.node.schedule.Calendars;
import io.twinbell.node.schedule.ScheduleException;
import io.twinbell.node.task.TaskReader;
import io.twinbell.persistence.database.DatabaseUnavailableException;

/** What stored definitions mean, with the calendars of now. Any thread. */
final class DefinitionCompiler {
    private final CalendarBook book;

    DefinitionCompiler(CalendarBook book) {
        this.book = book;
    }

    Definitions.Known compile(long version, String app, String name, String json) {
        try {
            return new Definitions.Known(
                    version, app, name, TaskReader.definition(app, name, json, book.latest()), null);
        } catch (DatabaseUnavailableException e) {
            throw e;
        } catch (RuntimeException e) {
            return new Definitions.Known(
                    version, app, name, null, e.getMessage() == null ? e.toString() : e.getMessage());
        }
    }

    /** Whether the calendars that it was compiled with are those of now. */
    boolean isCurrent(Definitions.Known known) {
        if (known.definition() == null
                || known.definition().schedule().calendars().isEmpty()) {
            return true;
        }
        Calendars calendars = book.current();
        return known.definition().schedule().calendars().entrySet().stream()
                .allMatch(used -> isVersion(calendars, used.getKey(), used.getValue()));
    }

    private static boolean isVersion(Calendars calendars, String name, long version) {
        try {
            BusinessCalendar calendar = calendars.find(name);
            return calendar != null && calendar.version() == version;
        } catch (ScheduleException e) {
            return false;
        }
    }
}
