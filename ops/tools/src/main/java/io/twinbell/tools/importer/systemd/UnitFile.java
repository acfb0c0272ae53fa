package io.twinbell.tools.importer.systemd;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * The settings of a unit file, by section and name. As in systemd, an empty value clears those before it, and an empty
 * event of a timer clears all its events.
 */
final class UnitFile {
    private static final String TIMER_EVENT = "Timer.On";
    private static final Pattern CONTROL = Pattern.compile("[\\p{Cntrl}&&[^\t]]");

    /** systemd allows one more. */
    private static final int MAX_VALUE = 1024 * 1024 - 1;

    private static final int MAX_VALUES = 1_000;

    private final Map<String, List<String>> values = new LinkedHashMap<>();
    private final List<String> ignored = new ArrayList<>();

    private UnitFile() {}

    /**
     * @param file its name, for messages
     * @throws IllegalArgumentException if a setting is too long, or has too many values
     */
    static UnitFile of(String file, String text) {
        UnitFile unit = new UnitFile();
        unit.add(file, text);
        return unit;
    }

    /** Reads another file, such as a drop-in, over this one. */
    void add(String file, String text) {
        String section = "";
        StringBuilder joined = new StringBuilder();
        int number = 0;
        for (String line : (text.startsWith("\uFEFF") ? text.substring(1) : text).split("\r?\n")) {
            number++;
            String stripped = line.strip();
            boolean isComment = stripped.startsWith("#") || stripped.startsWith(";");
            if (isComment) {
                // Also between the lines of one setting.
                continue;
            }
            joined.append(stripped);
            if (stripped.endsWith("\\")) {
                joined.setCharAt(joined.length() - 1, ' ');
                continue;
            }
            section =
                    setting(file + " line " + number, section, joined.toString().strip());
            joined.setLength(0);
        }
        setting(file + " line " + number, section, joined.toString().strip());
    }

    /** Returns the section from here on. */
    private String setting(String where, String section, String line) {
        int equals = line.indexOf('=');
        if (line.startsWith("[") && line.endsWith("]")) {
            return line.substring(1, line.length() - 1);
        }
        if (equals <= 0 || section.isEmpty()) {
            if (!line.isEmpty()) {
                ignored.add(where);
            }
            return section;
        }
        String key = section + "." + line.substring(0, equals).strip();
        String value = line.substring(equals + 1).strip();
        if (value.length() > MAX_VALUE || CONTROL.matcher(value).find()) {
            throw new IllegalArgumentException(where + ": " + key
                    + (value.length() > MAX_VALUE ? " is too long" : " contains a control character"));
        }
        if (value.isEmpty() && key.startsWith(TIMER_EVENT)) {
            values.keySet().removeIf(other -> other.startsWith(TIMER_EVENT));
        } else if (value.isEmpty()) {
            values.remove(key);
        } else {
            List<String> all = values.computeIfAbsent(key, none -> new ArrayList<>());
            if (all.size() == MAX_VALUES) {
                throw new IllegalArgumentException(where + ": " + key + " has more than " + MAX_VALUES + " values");
            }
            all.add(value);
        }
        return section;
    }

    /** The lines that are neither a section nor a setting, which systemd ignores too. */
    List<String> ignored() {
        return List.copyOf(ignored);
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

    /** @throws IllegalArgumentException if the value is none of systemd's words for yes and no */
    boolean is(String key) {
        return one(key).map(value -> isYes(key, value)).orElse(false);
    }

    private static boolean isYes(String key, String value) {
        return switch (value.toLowerCase(Locale.ROOT)) {
            case "1", "yes", "y", "true", "t", "on" -> true;
            case "0", "no", "n", "false", "f", "off" -> false;
            default -> throw new IllegalArgumentException(key + "=" + value + " is neither yes nor no");
        };
    }
}
