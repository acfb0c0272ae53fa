package io.twinbell.persistence.limit;

import java.util.ArrayList;
import java.util.List;

/**
 * The names that limits are set under: a concurrency key as tasks name it, or {@code app:…}, {@code tag:…} and
 * {@code handler:…} (a handler's type, or the key of a java handler). The database knows the same by
 * {@code twinbell.limit_keys}.
 */
public final class LimitKey {
    /** Of a concurrency key, in characters. */
    public static final int MAX_LENGTH = 200;

    /** What begins the keys that are no concurrency keys. */
    public static final List<String> PREFIXES = List.of("app:", "tag:", "handler:");

    private LimitKey() {}

    /** Whether it is not free for a concurrency key. */
    public static boolean isReserved(String key) {
        return PREFIXES.stream().anyMatch(key::startsWith);
    }

    /**
     * Every key of a task.
     *
     * @param handlerKey null unless its handler is in Java
     * @param concurrencyKey null if it has none
     */
    public static List<String> of(
            String app, List<String> tags, String handlerType, String handlerKey, String concurrencyKey) {
        List<String> keys = new ArrayList<>(tags.size() + 4);
        if (concurrencyKey != null) {
            keys.add(concurrencyKey);
        }
        keys.add("app:" + app);
        keys.add("handler:" + handlerType);
        if (handlerKey != null) {
            keys.add("handler:" + handlerKey);
        }
        tags.forEach(tag -> keys.add("tag:" + tag));
        return keys;
    }
}
