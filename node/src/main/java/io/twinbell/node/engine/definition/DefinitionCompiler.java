package io.twinbell.node.engine.definition;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.twinbell.node.calendar.CalendarBook;
import io.twinbell.node.json.StrictJson;
import io.twinbell.node.schedule.BusinessCalendar;
import io.twinbell.node.schedule.Calendars;
import io.twinbell.node.schedule.text.ScheduleException;
import io.twinbell.node.schedule.text.ScheduleTypeException;
import io.twinbell.node.task.OneShotParseCache;
import io.twinbell.node.task.definition.TaskDefinition;
import io.twinbell.persistence.database.DatabaseUnavailableException;
import io.twinbell.persistence.ledger.claim.DueTask;
import io.twinbell.persistence.task.TaskName;
import java.util.List;

/** Compiles stored definitions, with the current calendars. Any thread. */
public final class DefinitionCompiler {
    private static final String SAMPLE_DEFINITION =
            "{\"start\":\"2026-03-29T01:00:00.000Z\",\"handler\":{\"type\":\"java\",\"key\":\"any\"},"
                    + "\"schedule\":{\"at\":\"2026-03-29T01:00:00.000Z\"}}";

    private final CalendarBook book;
    private final OneShotParseCache reader = new OneShotParseCache();
    private volatile TaskDefinition last;
    private volatile String lastApp;

    public DefinitionCompiler(CalendarBook book) {
        this.book = book;
    }

    /**
     * Loads the classes that compiling needs, by compiling a sample. Otherwise the first claim of a young process would
     * load them, which takes some hundredths of a second.
     */
    static void loadClasses() {
        new OneShotParseCache().read("app", "name", SAMPLE_DEFINITION, Calendars.NONE);
    }

    Definitions.KnownDefinition compile(DueTask task) {
        TaskName name = new TaskName(sharing(task.app()), task.name());
        return compile(task.version(), name, task.tags(), task.definition(), task.offSchedule());
    }

    /** Compiles a definition without a version and without tags. */
    public Definitions.KnownDefinition compile(String app, String name, String json) {
        return compile(0, new TaskName(app, name), List.of(), json, false);
    }

    /**
     * Compiles the definition of an existing ledger row. Its run does not depend on the schedule, so a missing schedule
     * type does not matter.
     */
    public Definitions.KnownDefinition compileForRun(String app, String name, String json) {
        Definitions.KnownDefinition known = compile(app, name, json);
        return known.waits() ? compile(app, name, withoutSchedule(json)) : known;
    }

    private static String withoutSchedule(String json) {
        ObjectNode definition = (ObjectNode) StrictJson.readStored(json);
        definition.remove(List.of("calendars", "onExcluded", "end", "jitter"));
        definition.putObject("schedule").put("at", definition.path("start").asText());
        return StrictJson.write(definition);
    }

    private Definitions.KnownDefinition compile(
            long version, TaskName name, List<String> tags, String json, boolean offSchedule) {
        TaskDefinition definition = null;
        String error = null;
        boolean waits = false;
        try {
            definition = sharing(reader.read(name.app(), name.name(), json, book.latest()));
        } catch (DatabaseUnavailableException e) {
            throw e;
        } catch (ScheduleTypeException e) {
            waits = true;
            error = e.getMessage();
        } catch (RuntimeException e) {
            error = e.getMessage() == null ? e.toString() : e.getMessage();
        }
        return new Definitions.KnownDefinition(
                version, name, tags, definition, error, waits, offSchedule, json.length());
    }

    private String sharing(String app) {
        String before = lastApp;
        String shared = app.equals(before) ? before : app;
        lastApp = shared;
        return shared;
    }

    private TaskDefinition sharing(TaskDefinition definition) {
        TaskDefinition before = last;
        TaskDefinition shared = before == null ? definition : definition.sharing(before);
        last = shared;
        return shared;
    }

    /** Whether it was compiled with the current calendars. */
    boolean isCurrent(Definitions.KnownDefinition known) {
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
