package io.twinbell.node.calendar;

import io.twinbell.node.calendar.store.CalendarStore;
import io.twinbell.node.calendar.store.LaggingTasks;
import io.twinbell.node.calendar.store.StoredCalendar;
import io.twinbell.node.loop.Loop;
import io.twinbell.node.schedule.Calendars;
import io.twinbell.node.task.TaskChanges;
import io.twinbell.persistence.task.TaskDecision;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Stores edits of calendars. The next fire time of each task that respects a changed calendar is recomputed before the
 * edit is acknowledged. If the node fails in between, {@link #step} on the other node recomputes the rest.
 */
public final class CalendarEdits {
    private static final Logger LOG = LoggerFactory.getLogger(CalendarEdits.class);
    private static final long LOOK_NANOS = Duration.ofSeconds(3).toNanos();

    private final CalendarStore store;
    private final LaggingTasks lagging;
    private final CalendarBook book;

    public CalendarEdits(CalendarStore store, LaggingTasks lagging) {
        this.store = store;
        this.lagging = lagging;
        book = new CalendarBook(store);
    }

    /** Returns the calendars as they are stored now. */
    public Calendars fresh() {
        return book.fresh();
    }

    /** Returns no calendars, for a task that names none. */
    public Calendars none() {
        return book.none();
    }

    /** Returns no calendars, for a preview that must not depend on the database. */
    public Calendars noneForPreview() {
        return book.noneForPreview();
    }

    public Optional<StoredCalendar> find(String name) {
        return store.find(name);
    }

    /** Returns what uses the calendar, as {@link CalendarStore#users}. */
    public CalendarStore.Users users(String name, Set<String> apps) {
        return store.users(name, apps);
    }

    public List<StoredCalendar> list(String afterName, int limit) {
        return store.list(afterName, limit);
    }

    /**
     * Stores a calendar.
     *
     * @param content the result of {@link CalendarReader#normalized}
     * @param expectedVersion the version to replace; null for any version
     */
    public CalendarStore.PutResult put(String name, String content, String source, Long expectedVersion) {
        CalendarStore.PutResult put = store.put(name, content, source, expectedVersion);
        boolean stored =
                put.outcome() != CalendarStore.PutOutcome.CONFLICT && put.outcome() != CalendarStore.PutOutcome.FULL;
        if (stored) {
            recompute(name);
        }
        return put;
    }

    public CalendarStore.Removal remove(String name) {
        return store.remove(name);
    }

    /** Recomputes the tasks that an interrupted edit has left behind; returns how long to sleep, in nanoseconds. */
    public long step(Loop loop) {
        try {
            lagging.calendars().forEach(name -> recompute(name, loop));
        } catch (RuntimeException e) {
            loop.failed(e);
        }
        return LOOK_NANOS;
    }

    /** A calendar whose tasks can't be changed must not stop the others. */
    private void recompute(String name, Loop loop) {
        LOG.info(
                "some tasks do not follow the latest version of the calendar {} yet: recomputing their fire times",
                name);
        try {
            recompute(name);
        } catch (RuntimeException e) {
            loop.failed(e);
        }
    }

    private void recompute(String name) {
        TaskDecision recalculation = TaskChanges.recalculate(book.fresh());
        long last = 0;
        while (last >= 0) {
            last = lagging.change(name, last, recalculation);
        }
    }
}
