package io.twinbell.node.defaults;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.twinbell.node.calendar.store.CalendarSource;
import io.twinbell.node.defaults.store.StoredDefaults;
import io.twinbell.node.defaults.store.TaskDefaultsStore;
import io.twinbell.node.json.MemberDefaults;
import io.twinbell.node.json.StrictJson;
import io.twinbell.persistence.database.DatabaseUnavailableException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * An in-memory cache of all defaults, at most {@value TaskDefaultsStore#MAX_KEYS} keys. After a change it is marked as
 * outdated, and the next lookup reads them again. Thread-safe.
 */
public final class DefaultsBook {
    private final CalendarSource source;
    private volatile boolean outdated = true;
    private volatile Known known = new Known(0, Map.of());

    private record Known(long version, Map<String, MemberDefaults.Level> byKey) {
        static Known of(List<StoredDefaults> all) {
            long version = 0;
            Map<String, MemberDefaults.Level> byKey = new HashMap<>();
            for (StoredDefaults one : all) {
                version = Math.max(version, one.version());
                ObjectNode values = (ObjectNode) StrictJson.readStored(one.content());
                String origin = one.key().equals(TaskDefaultsStore.CLUSTER) ? "CLUSTER" : "APP";
                if (!values.isEmpty()) {
                    byKey.put(one.key(), new MemberDefaults.Level(origin, values));
                }
            }
            return new Known(version, Map.copyOf(byKey));
        }
    }

    public DefaultsBook(CalendarSource source) {
        this.source = source;
    }

    /** Marks the cache as outdated. */
    public void outdated() {
        outdated = true;
    }

    /**
     * Returns the defaults for tasks of an app: its own before those of the cluster.
     *
     * @param app null for none
     * @throws DatabaseUnavailableException if the cache is outdated and cannot be refreshed
     */
    public MemberDefaults ofApp(String app) {
        return ofApp(app, (outdated ? refreshed() : known).byKey());
    }

    /**
     * Reads the defaults as they are stored now, and returns the defaults of each app. A caller may use them while it holds
     * a connection: they are in memory.
     *
     * @throws DatabaseUnavailableException if the database does not answer
     */
    public Function<String, MemberDefaults> fresh() {
        Map<String, MemberDefaults.Level> byKey = refreshed().byKey();
        return app -> ofApp(app, byKey);
    }

    /** Returns the same as {@link #ofApp}, or what was read last if the database does not answer. */
    public MemberDefaults ofAppAsLastRead(String app) {
        try {
            return ofApp(app);
        } catch (DatabaseUnavailableException e) {
            return ofApp(app, known.byKey());
        }
    }

    private static MemberDefaults ofApp(String app, Map<String, MemberDefaults.Level> byKey) {
        return byKey.isEmpty()
                ? MemberDefaults.NONE
                : new MemberDefaults(Stream.of(TaskDefaultsStore.APP + app, TaskDefaultsStore.CLUSTER)
                        .flatMap(key -> Stream.ofNullable(byKey.get(key)))
                        .toList());
    }

    private synchronized Known refreshed() {
        outdated = false;
        try {
            Optional<List<StoredDefaults>> changed = source.defaultsChangedSince(known.version());
            changed.ifPresent(all -> known = Known.of(all));
            return known;
        } catch (DatabaseUnavailableException e) {
            outdated = true;
            throw e;
        }
    }
}
