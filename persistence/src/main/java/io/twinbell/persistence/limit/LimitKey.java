package io.twinbell.persistence.limit;

import java.util.ArrayList;
import java.util.List;

/**
 * The keys that limits are set for: a concurrency key of tasks, or {@code app:…}, {@code tag:…} and {@code handler:…}
 * (a handler's type, or the key of a java handler). In the database {@code twinbell.limit_keys} computes the same keys.
 */
public final class LimitKey {
    /** The maximum length of a concurrency key, or of what follows a prefix, in characters. */
    public static final int MAX_LENGTH = 200;

    private static final String APP = "app:";

    /** The prefixes of keys that are not concurrency keys. */
    public static final List<String> PREFIXES = List.of(APP, "tag:", "handler:");

    private LimitKey() {}

    /** The key of the limit on all tasks of an app. */
    public static String ofApp(String app) {
        return APP + app;
    }

    /** The app among the keys of a task. */
    public static String appOf(List<String> keys) {
        return keys.stream()
                .filter(key -> key.startsWith(APP))
                .findFirst()
                .orElseThrow()
                .substring(APP.length());
    }

    /** Whether the key is reserved, so that it cannot be a concurrency key. */
    public static boolean isReserved(String key) {
        return PREFIXES.stream().anyMatch(key::startsWith);
    }

    /** Whether the key, or what follows its prefix, has an allowed length and only characters that can be stored. */
    public static boolean isWellFormed(String key) {
        String prefix = PREFIXES.stream().filter(key::startsWith).findFirst().orElse("");
        int length = key.codePointCount(prefix.length(), key.length());
        return length >= 1
                && length <= MAX_LENGTH
                && key.chars().noneMatch(Character::isISOControl)
                && key.indexOf('\ufffd') < 0;
    }

    /**
     * All limit keys of a task.
     *
     * @param handlerKey null unless the task has a java handler
     * @param concurrencyKey null if the task has none
     */
    public static List<String> of(
            String app, List<String> tags, String handlerType, String handlerKey, String concurrencyKey) {
        List<String> keys = new ArrayList<>(tags.size() + 4);
        if (concurrencyKey != null) {
            keys.add(concurrencyKey);
        }
        keys.add(ofApp(app));
        keys.add("handler:" + handlerType);
        if (handlerKey != null) {
            keys.add("handler:" + handlerKey);
        }
        tags.forEach(tag -> keys.add("tag:" + tag));
        return keys;
    }
}
