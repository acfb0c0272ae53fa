package io.twinbell;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.twinbell.node.defaults.DefaultsEdits;
import io.twinbell.node.defaults.store.StoredDefaults;
import io.twinbell.node.defaults.store.TaskDefaultsStore;
import io.twinbell.node.json.InvalidJsonException;
import io.twinbell.node.json.StrictJson;
import io.twinbell.node.task.TaskDefaultsReader;
import io.twinbell.persistence.limit.LimitKey;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * Reads and changes the defaults for members that tasks do not have, from the program that embeds a node. An app of
 * null stands for the cluster. All methods throw {@link DatabaseException} if the database does not answer.
 */
public final class TaskDefaults {
    private final Supplier<DefaultsEdits> edits;

    TaskDefaults(Supplier<DefaultsEdits> edits) {
        this.edits = edits;
    }

    /** Returns the defaults as JSON; empty if there are none. */
    public Optional<String> find(String app) {
        return Failures.translated(() -> edits.get().find(key(app)).map(StoredDefaults::content));
    }

    /**
     * Creates or replaces the defaults. Tasks that have values from defaults get the new values before this returns.
     *
     * @param json for example {@code {"timeout":"PT10S","schedule":{"zone":"Europe/Berlin"}}}
     * @throws IllegalArgumentException if the defaults are invalid, or if too many apps have some
     */
    public void put(String app, String json) {
        Failures.translated(() -> {
            if (!(StrictJson.read(Failures.required(json, "the JSON").getBytes(StandardCharsets.UTF_8))
                    instanceof ObjectNode object)) {
                throw new InvalidJsonException("", "must be a JSON object");
            }
            TaskDefaultsStore.PutResult put = edits.get().put(key(app), TaskDefaultsReader.normalized(object), null);
            if (put.outcome() == TaskDefaultsStore.PutOutcome.FULL) {
                throw new IllegalArgumentException(
                        "there are already defaults of " + TaskDefaultsStore.MAX_KEYS + " apps; remove some first");
            }
            return put;
        });
    }

    /** Removes the defaults, also from the tasks that have values from them; returns false if there are none. */
    public boolean remove(String app) {
        return Failures.translated(() -> edits.get().remove(key(app)));
    }

    private static String key(String app) {
        if (app == null) {
            return TaskDefaultsStore.CLUSTER;
        }
        String key = TaskDefaultsStore.APP + app;
        if (!LimitKey.isWellFormed(key)) {
            throw new IllegalArgumentException("an app has 1 to 200 characters and no control characters");
        }
        return key;
    }
}
