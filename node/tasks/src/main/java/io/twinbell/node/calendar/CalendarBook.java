package io.twinbell.node.calendar;

import io.twinbell.node.calendar.store.CalendarSource;
import io.twinbell.node.calendar.store.CalendarStore;
import io.twinbell.node.defaults.DefaultsBook;
import io.twinbell.node.engine.task.ScheduleException;
import io.twinbell.node.json.InvalidJsonException;
import io.twinbell.node.schedule.BusinessCalendar;
import io.twinbell.node.schedule.Calendars;
import io.twinbell.persistence.database.DatabaseUnavailableException;
import java.util.HashMap;
import java.util.Map;

/**
 * An in-memory cache of all compiled calendars, at most {@value CalendarStore#MAX_CALENDARS}, and of the defaults of
 * tasks. After a change the cache is marked as outdated, and the next lookup reads what has changed. Thread-safe.
 */
public final class CalendarBook {
    private final CalendarSource source;
    private final Map<String, Entry> entries = new HashMap<>();
    private volatile boolean outdated = true;
    private final DefaultsBook defaults;
    private volatile Calendars current;

    /** @param calendar null if it cannot be read; {@code error} gives the reason */
    private record Entry(long version, BusinessCalendar calendar, String error) {
        static Entry of(CalendarSource.Content content) {
            try {
                return new Entry(
                        content.version(),
                        CalendarReader.compiled(content.name(), content.version(), content.json()),
                        null);
            } catch (InvalidJsonException e) {
                return new Entry(content.version(), null, e.getMessage());
            }
        }
    }

    public CalendarBook(CalendarSource source) {
        this.source = source;
        defaults = new DefaultsBook(source);
        current = Calendars.NONE.with(defaults::ofApp);
    }

    /** Marks the cache as outdated. */
    public void outdated() {
        outdated = true;
        defaults.outdated();
    }

    /** Returns no calendars, with the defaults of tasks as they are stored now. It reads no calendar. */
    Calendars none() {
        return Calendars.NONE.with(defaults.fresh());
    }

    /** Returns no calendars, with the defaults of tasks as they were read last if the database does not answer. */
    Calendars noneForPreview() {
        defaults.outdated();
        return Calendars.NONE.with(defaults::ofAppAsLastRead);
    }

    /**
     * Returns the calendars as of the last change that was announced.
     *
     * @throws DatabaseUnavailableException if the cache is outdated and cannot be refreshed
     */
    public Calendars current() {
        return outdated ? fresh() : current;
    }

    /**
     * Returns the calendars as of the last change that was announced, and looks up unknown names in the database: the
     * announcement of a task may arrive before that of its calendar.
     *
     * @throws DatabaseUnavailableException like {@link #current}, also when a name is looked up
     */
    public Calendars latest() {
        Calendars known = current();
        Calendars latest = name -> {
            BusinessCalendar calendar = known.find(name);
            return calendar == null ? fresh().find(name) : calendar;
        };
        return latest.with(defaults::ofApp);
    }

    /**
     * Returns the calendars and defaults as they are stored now. Looking something up in them reads nothing: a caller that
     * holds a connection would wait for another one.
     *
     * @throws DatabaseUnavailableException if the database does not answer
     */
    public Calendars fresh() {
        return refreshed().with(defaults.fresh());
    }

    private synchronized Calendars refreshed() {
        outdated = false;
        try {
            Map<String, Long> known = new HashMap<>();
            entries.forEach((name, entry) -> known.put(name, entry.version()));
            CalendarSource.Changes changes = source.changedSince(known);
            entries.keySet().removeAll(changes.gone());
            changes.changed().forEach(content -> entries.put(content.name(), Entry.of(content)));
            if (!changes.gone().isEmpty() || !changes.changed().isEmpty()) {
                current = snapshot();
            }
            return current;
        } catch (DatabaseUnavailableException e) {
            outdated = true;
            throw e;
        }
    }

    private Calendars snapshot() {
        Map<String, Entry> now = Map.copyOf(entries);
        Calendars snapshot = name -> {
            Entry entry = now.get(name);
            if (entry != null && entry.calendar() == null) {
                throw new ScheduleException("", "the calendar " + name + " can't be read: " + entry.error());
            }
            return entry == null ? null : entry.calendar();
        };
        return snapshot.with(defaults::ofApp);
    }
}
