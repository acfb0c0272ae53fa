package io.twinbell.node.defaults;

import io.twinbell.node.calendar.store.LaggingTasks;
import io.twinbell.node.defaults.store.StoredDefaults;
import io.twinbell.node.defaults.store.TaskDefaultsStore;
import io.twinbell.node.loop.Loop;
import io.twinbell.node.schedule.Calendars;
import io.twinbell.node.task.TaskChanges;
import io.twinbell.persistence.task.TaskDecision;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * Stores edits of defaults. Tasks that have values from defaults get the new values before the edit is acknowledged.
 * {@link #step} repeats this once, for tasks that were created meanwhile with the earlier values, and for the case that
 * the node failed in between.
 */
public final class DefaultsEdits {
    private static final long LOOK_NANOS = Duration.ofSeconds(3).toNanos();

    private final TaskDefaultsStore store;
    private final LaggingTasks lagging;
    private final Supplier<Calendars> calendars;

    /** @param calendars supplies the calendars and defaults as they are stored now */
    public DefaultsEdits(TaskDefaultsStore store, LaggingTasks lagging, Supplier<Calendars> calendars) {
        this.store = store;
        this.lagging = lagging;
        this.calendars = calendars;
    }

    public Optional<StoredDefaults> find(String key) {
        return store.find(key);
    }

    /** Returns the defaults of all keys, at most {@link TaskDefaultsStore#MAX_KEYS}. */
    public List<StoredDefaults> list() {
        return store.list();
    }

    /**
     * Stores the defaults of a key.
     *
     * @param content the result of {@link io.twinbell.node.task.TaskDefaultsReader}
     * @param expectedVersion the version to replace; null for any version
     */
    public TaskDefaultsStore.PutResult put(String key, String content, Long expectedVersion) {
        TaskDefaultsStore.PutResult put = store.put(key, content, expectedVersion);
        if (put.outcome() == TaskDefaultsStore.PutOutcome.CREATED
                || put.outcome() == TaskDefaultsStore.PutOutcome.REPLACED) {
            follow(key);
        }
        return put;
    }

    /** Removes the defaults of a key; false if it has none. */
    public boolean remove(String key) {
        boolean removed = store.remove(key);
        if (removed) {
            follow(key);
        }
        return removed;
    }

    /**
     * Applies changes that were made some seconds ago to the tasks again; returns how long to sleep, in nanoseconds.
     */
    public long step(Loop loop) {
        try {
            store.unfollowed().forEach(changed -> follow(changed, loop));
        } catch (RuntimeException e) {
            loop.failed(e);
        }
        return LOOK_NANOS;
    }

    /** Defaults whose tasks can't be changed must not stop the others. */
    private void follow(StoredDefaults changed, Loop loop) {
        try {
            follow(changed.key());
            store.followed(changed);
        } catch (RuntimeException e) {
            loop.failed(e);
        }
    }

    private void follow(String key) {
        TaskDecision decision = TaskChanges.followDefaults(calendars.get());
        String app = key.equals(TaskDefaultsStore.CLUSTER) ? null : key.substring(TaskDefaultsStore.APP.length());
        long last = 0;
        while (last >= 0) {
            last = lagging.changeDefaulted(app, last, decision);
        }
    }
}
