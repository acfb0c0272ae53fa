package io.twinbell.node.engine;

import io.twinbell.node.calendar.CalendarBook;
import io.twinbell.node.schedule.BusinessCalendar;
import io.twinbell.node.schedule.Calendars;
import io.twinbell.node.schedule.ScheduleException;
import io.twinbell.node.task.TaskDefinition;
import io.twinbell.node.task.TaskReader;
import io.twinbell.persistence.database.DatabaseUnavailableException;
import io.twinbell.persistence.ledger.DueTask;
import java.util.List;

/** What stored definitions mean, with the calendars of now. Any thread. */
final class DefinitionCompiler {
    private final CalendarBook book;

    DefinitionCompiler(CalendarBook book) {
        this.book = book;
    }

    Definitions.Known compile(DueTask task) {
        Definitions.Known known = compile(task.app(), task.name(), task.definition());
        return new Definitions.Known(
                task.version(),
                known.app(),
                known.name(),
                task.tags(),
                known.definition(),
                known.error(),
                task.offSchedule());
    }

    /** What does not say at which version it was read, nor under which tags it is found. */
    Definitions.Known compile(String app, String name, String json) {
        try {
            TaskDefinition definition = TaskReader.definition(app, name, json, book.latest());
            return new Definitions.Known(0, app, name, List.of(), definition, null, false);
        } catch (DatabaseUnavailableException e) {
            throw e;
        } catch (RuntimeException e) {
            String error = e.getMessage() == null ? e.toString() : e.getMessage();
            return new Definitions.Known(0, app, name, List.of(), null, error, false);
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
