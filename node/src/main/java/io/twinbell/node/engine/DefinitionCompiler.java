package io.twinbell.node.engine;

import io.twinbell.node.calendar.CalendarBook;
import io.twinbell.node.schedule.BusinessCalendar;
import io.twinbell.node.schedule.Calendars;
import io.twinbell.node.schedule.ScheduleException;
import io.twinbell.node.task.TaskDefinition;
import io.twinbell.node.task.TaskReader;
import io.twinbell.persistence.database.DatabaseUnavailableException;
import io.twinbell.persistence.ledger.DueTask;

/** What stored definitions mean, with the calendars of now. Any thread. */
final class DefinitionCompiler {
    private final CalendarBook book;

    DefinitionCompiler(CalendarBook book) {
        this.book = book;
    }

    Definitions.Known compile(DueTask task) {
        return compile(task.version(), task.app(), task.name(), task.definition(), task.offSchedule());
    }

    /** What does not say at which version it was read. */
    Definitions.Known compile(String app, String name, String json) {
        return compile(0, app, name, json, false);
    }

    private Definitions.Known compile(long version, String app, String name, String json, boolean offSchedule) {
        try {
            TaskDefinition definition = TaskReader.definition(app, name, json, book.latest());
            return new Definitions.Known(version, app, name, definition, null, offSchedule);
        } catch (DatabaseUnavailableException e) {
            throw e;
        } catch (RuntimeException e) {
            String error = e.getMessage() == null ? e.toString() : e.getMessage();
            return new Definitions.Known(version, app, name, null, error, offSchedule);
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
