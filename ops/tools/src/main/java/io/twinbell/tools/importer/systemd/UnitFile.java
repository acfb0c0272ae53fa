package io.twinbell.tools.importer.systemd;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/** The settings of a unit file, by section and name. An empty value clears those before it, as in systemd. */
final class UnitFile {
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
                if (value.isEmpty()) {
                    values.remove(key);
                } else {
                    values.computeIfAbsent(key, none -> new ArrayList<>()).add(value);
                }
            }
        }
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
