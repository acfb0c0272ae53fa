package io.twinbell.node.compile;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.twinbell.node.calendar.CalendarBook;
import io.twinbell.node.calendar.store.CalendarSource;
import io.twinbell.node.engine.task.ScheduleException;
import io.twinbell.node.engine.task.ScheduleTypeException;
import io.twinbell.node.engine.task.TaskCompiler;
import io.twinbell.node.engine.task.TaskDefinition;
import io.twinbell.node.json.StrictJson;
import io.twinbell.node.schedule.BusinessCalendar;
import io.twinbell.node.schedule.Calendars;
import io.twinbell.node.schedule.custom.ScheduleTypes;
import io.twinbell.node.task.OneShotParseCache;
import io.twinbell.node.task.definition.HandlerSpec;
import io.twinbell.persistence.database.DatabaseUnavailableException;
import java.util.List;
import java.util.Set;

/** Compiles stored definitions, with the current calendars. */
public final class DefinitionCompiler implements TaskCompiler {
    private static final String SAMPLE_DEFINITION =
            "{\"start\":\"2026-03-29T01:00:00.000Z\",\"handler\":{\"type\":\"java\",\"key\":\"any\"},"
                    + "\"schedule\":{\"at\":\"2026-03-29T01:00:00.000Z\"}}";

    private final CalendarBook book;
    private final OneShotParseCache reader = new OneShotParseCache();
    private volatile TaskDefinition last;

    /** Compiles definitions without calendars, defaults and custom schedule types. */
    public DefinitionCompiler() {
        this(new CalendarBook(known -> new CalendarSource.Changes(List.of(), Set.of()), ScheduleTypes.NONE));
    }

    public DefinitionCompiler(CalendarBook book) {
        this.book = book;
    }

    @Override
    public void loadClasses() {
        new OneShotParseCache().read("app", "name", SAMPLE_DEFINITION, Calendars.NONE);
    }

    @Override
    public void calendarsChanged() {
        book.outdated();
    }

    @Override
    public Compiled compileForRun(String app, String name, String json) {
        Compiled compiled = compile(app, name, json);
        return compiled.waits() ? compile(app, name, withoutSchedule(json)) : compiled;
    }

    private static String withoutSchedule(String json) {
        ObjectNode definition = (ObjectNode) StrictJson.readStored(json);
        definition.remove(List.of("calendars", "onExcluded", "end", "jitter"));
        definition.putObject("schedule").put("at", definition.path("start").asText());
        return StrictJson.write(definition);
    }

    @Override
    public Compiled compile(String app, String name, String json) {
        try {
            return new Compiled(sharing(reader.read(app, name, json, book.latest())), null, false);
        } catch (DatabaseUnavailableException e) {
            throw e;
        } catch (ScheduleTypeException e) {
            return new Compiled(null, e.getMessage(), true);
        } catch (RuntimeException e) {
            return new Compiled(null, e.getMessage() == null ? e.toString() : e.getMessage(), false);
        }
    }

    private TaskDefinition sharing(TaskDefinition definition) {
        TaskDefinition before = last;
        TaskDefinition shared = before == null ? definition : sharing(definition, before);
        last = shared;
        return shared;
    }

    /**
     * Returns the same definition, but uses the other definition's parts where they are equal. The starts of thousands
     * of tasks from one program then find these parts in the processor's cache. Handlers with JSON values are
     * excluded: 1.1 and 1.10 are equal but not identical.
     */
    private static TaskDefinition sharing(TaskDefinition own, TaskDefinition other) {
        return own.with(
                same(own.schedule(), other.schedule()),
                own.handler() instanceof HandlerSpec.JavaCode ? same(own.handler(), other.handler()) : own.handler(),
                same(own.misfire(), other.misfire()),
                same(own.retry(), other.retry()),
                own.data(),
                same(own.contentionPolicy(), other.contentionPolicy()),
                same(own.followers(), other.followers()));
    }

    private static <T> T same(T own, T other) {
        return own.equals(other) ? other : own;
    }

    @Override
    public boolean isCurrent(TaskDefinition definition) {
        if (definition.schedule().calendars().isEmpty()) {
            return true;
        }
        Calendars calendars = book.current();
        return definition.schedule().calendars().entrySet().stream()
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
