package io.twinbell.tools.importer.systemd;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The settings of a unit file, by section and name. As in systemd, an empty value clears those before it, and an empty
 * event of a timer clears all its events.
 */
final class UnitFile {
    private static final String TIMER_EVENT = "Timer.On";

    private final Map<String, List<String>> values = new LinkedHashMap<>();

    private UnitFile() {}

    static UnitFile of(String text) {
        UnitFile file = new UnitFile();
        file.add(text);
        return file;
    }

    /** Reads another file, such as a drop-in, over this one. */
    void add(String text) {
        String section = "";
        String joined = text.replaceAll("\\\\\\R", " ");
        for (String line : joined.split("\\R")) {
            String stripped = line.strip();
            int equals = stripped.indexOf('=');
            if (stripped.isEmpty() || stripped.startsWith("#") || stripped.startsWith(";")) {
                continue;
            }
            if (stripped.startsWith("[") && stripped.endsWith("]")) {
                section = stripped.substring(1, stripped.length() - 1);
            } else if (equals > 0) {
                String key = section + "." + stripped.substring(0, equals).strip();
                String value = stripped.substring(equals + 1).strip();
                if (value.isEmpty() && key.startsWith(TIMER_EVENT)) {
                    values.keySet().removeIf(other -> other.startsWith(TIMER_EVENT));
                } else if (value.isEmpty()) {
                    values.remove(key);
                } else {
                    values.computeIfAbsent(key, none -> new ArrayList<>()).add(value);
                }
            }
        }
    }

    /** The names of all settings, each with its section. */
    Set<String> names() {
        return Collections.unmodifiableSet(values.keySet());
    }

    List<String> all(String key) {
        return values.getOrDefault(key, List.of());
    }

    /** The last value counts. */
    Optional<String> one(String key) {
        List<String> all = all(key);
        return all.isEmpty() ? Optional.empty() : Optional.of(all.get(all.size() - 1));
    }

    boolean is(String key) {
        return one(key).map(value -> List.of("yes", "true", "on", "1").contains(value.toLowerCase(Locale.ROOT)))
                .orElse(false);
    }
}
