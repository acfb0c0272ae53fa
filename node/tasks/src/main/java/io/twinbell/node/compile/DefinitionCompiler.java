package io.twinbell.node.compile;

import com.fasterxml.jackson.databind.JsonNode;
import io.twinbell.node.calendar.CalendarBook;
import io.twinbell.node.calendar.store.CalendarSource;
import io.twinbell.node.engine.task.ScheduleException;
import io.twinbell.node.engine.task.TaskCompiler;
import io.twinbell.node.engine.task.TaskDefinition;
import io.twinbell.node.json.StrictJson;
import io.twinbell.node.schedule.BusinessCalendar;
import io.twinbell.node.schedule.Calendars;
import io.twinbell.node.schedule.Schedules;
import io.twinbell.node.task.TaskReader;
import io.twinbell.node.task.definition.HandlerSpec;
import io.twinbell.node.task.reader.DefinitionReader;
import io.twinbell.persistence.database.DatabaseUnavailableException;
import io.twinbell.persistence.task.DefinitionParts;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Compiles stored definitions, with the current calendars. What one-shots of an app share is compiled once: they differ
 * in their instant, and those of Java handlers in their data.
 */
public final class DefinitionCompiler implements TaskCompiler {
    private static final int MOST_KEPT = 1000;
    /** In characters. Larger definitions are compiled for each task. */
    private static final int SMALL = 4096;

    private final CalendarBook book;
    private final Map<Shared, TaskDefinition> oneShots =
            Collections.synchronizedMap(new LinkedHashMap<>(64, 0.75f, true) {
                @Override
                protected boolean removeEldestEntry(Map.Entry<Shared, TaskDefinition> eldest) {
                    return size() > MOST_KEPT;
                }
            });

    /** What the compiled definition depends on, apart from the instant and the data. */
    private record Shared(String app, String definition) {}

    /** Compiles definitions without calendars and defaults. */
    public DefinitionCompiler() {
        this(new CalendarBook(known -> new CalendarSource.Changes(List.of(), Set.of())));
    }

    public DefinitionCompiler(CalendarBook book) {
        this.book = book;
    }

    @Override
    public void calendarsChanged() {
        book.outdated();
    }

    @Override
    public Compiled compile(String app, String name, DefinitionParts definition) {
        try {
            TaskDefinition oneShot = oneShot(app, definition);
            return new Compiled(oneShot == null ? read(app, name, definition) : oneShot, null);
        } catch (DatabaseUnavailableException e) {
            throw e;
        } catch (RuntimeException e) {
            return new Compiled(null, e.getMessage() == null ? e.toString() : e.getMessage());
        }
    }

    /** Returns null if the definition must be read whole. */
    private TaskDefinition oneShot(String app, DefinitionParts definition) {
        TaskDefinition similar =
                definition.atMillis().isEmpty() ? null : oneShots.get(new Shared(app, definition.shared()));
        if (similar == null) {
            return null;
        }
        String data = null;
        if (definition.data() != null) {
            JsonNode read = StrictJson.readStored(definition.data());
            if (!(similar.handler() instanceof HandlerSpec.JavaCode) || DefinitionReader.isTooDeep(read)) {
                return null;
            }
            data = read.isNull() ? null : StrictJson.write(read);
        }
        return similar.with(Schedules.at(definition.atMillis().getAsLong()), data);
    }

    private TaskDefinition read(String app, String name, DefinitionParts definition) {
        TaskDefinition read = TaskReader.definition(app, name, definition, book.latest());
        boolean dependsOnNothingElse = definition.atMillis().isPresent()
                && definition.shared().length() <= SMALL
                && read.schedule().equals(Schedules.at(definition.atMillis().getAsLong()))
                && (definition.data() == null || read.handler() instanceof HandlerSpec.JavaCode)
                // The instant of another task may lie after the end.
                && !StrictJson.readStored(definition.shared()).has("end");
        if (dependsOnNothingElse) {
            oneShots.put(new Shared(app, definition.shared()), read);
        }
        return read;
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
