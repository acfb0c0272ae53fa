package io.twinbell.node.calendar;

import io.twinbell.node.json.InvalidJsonException;
import io.twinbell.node.schedule.BusinessCalendar;
import io.twinbell.node.schedule.Calendars;
import io.twinbell.node.schedule.ScheduleException;
import io.twinbell.persistence.calendar.CalendarSource;
import io.twinbell.persistence.calendar.CalendarStore;
import io.twinbell.persistence.database.DatabaseUnavailableException;
import java.util.HashMap;
import java.util.Map;

/**
 * All calendars, compiled, in memory: at most {@value CalendarStore#MAX_CALENDARS}. Whoever hears of a change says so, and
 * the next who asks reads what has changed. Any thread.
 */
public final class CalendarBook {
    private final CalendarSource source;
    private final Map<String, Entry> entries = new HashMap<>();
    private volatile boolean outdated = true;
    private volatile Calendars current = Calendars.NONE;

    /** @param calendar null if it can't be read, for the reason given in {@code error} */
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
    }

    /** Calendars may have changed. */
    public void outdated() {
        outdated = true;
    }

    /**
     * As of the last change that was heard of.
     *
     * @throws DatabaseUnavailableException if there was one, and it can't be read now
     */
    public Calendars current() {
        return outdated ? fresh() : current;
    }

    /**
     * As of the last change that was heard of, and as they are stored now for a name that is not known: what names a
     * calendar may be heard of before the calendar.
     *
     * @throws DatabaseUnavailableException like {@link #current}, also when a name is looked up
     */
    public Calendars latest() {
        Calendars known = current();
        return name -> {
            BusinessCalendar calendar = known.find(name);
            return calendar == null ? fresh().find(name) : calendar;
        };
    }

    /**
     * As they are stored now.
     *
     * @throws DatabaseUnavailableException if the database does not answer
     */
    public synchronized Calendars fresh() {
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
        return name -> {
            Entry entry = now.get(name);
            if (entry != null && entry.calendar() == null) {
                throw new ScheduleException("", "the calendar " + name + " can't be read: " + entry.error());
            }
            return entry == null ? null : entry.calendar();
        };
    }
}
