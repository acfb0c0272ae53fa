package io.twinbell.node.config;

import io.twinbell.node.handler.config.HostList;
import io.twinbell.node.json.NearestName;
import io.twinbell.node.settings.ConfigException;
import io.twinbell.node.settings.EffectiveSetting;
import io.twinbell.node.settings.SmallFile;
import io.twinbell.node.settings.TrustedFiles;
import io.twinbell.persistence.database.DatabaseUrl;
import java.io.IOException;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.DateTimeException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The configured value of each key, from the last source that set it, and the errors found so far. */
final class Settings {
    private static final String MASK = "******";
    /** Set by the distribution's scripts: the directory, and the only file that it applies to. */
    private static final String HOME = "twinbell.home";

    private static final String OWN_FILE = "twinbell.config";

    private final Map<String, Setting> byKey = new TreeMap<>();
    private final List<String> errors = new ArrayList<>();
    private final Path file;
    private final boolean isProgram;

    /**
     * @param file the configuration file; null for none
     * @param isProgram whether a program sets keys, in place of variables and options
     */
    Settings(Path file, boolean isProgram) {
        this.file = file;
        this.isProgram = isProgram;
    }

    boolean hasFile() {
        return file != null;
    }

    boolean isSet(String key) {
        return byKey.containsKey(key);
    }

    /** Sets a key; a later call overrides an earlier one. */
    void set(String key, Setting setting) {
        if (ConfigKeys.ALL.contains(key)
                || key.startsWith(ConfigKeys.SECRETS_PREFIX)
                || key.startsWith(ConfigKeys.PROFILES_PREFIX)) {
            byKey.put(key, setting);
        } else {
            errors.add(
                    "unknown key \"" + key + "\" (" + setting.source() + ")" + NearestName.hint(key, ConfigKeys.ALL));
        }
    }

    /** Returns the settings of all keys with this prefix, by the rest of the key. */
    Map<String, Setting> below(String prefix) {
        Map<String, Setting> found = new TreeMap<>();
        byKey.forEach((key, setting) -> {
            if (key.startsWith(prefix)) {
                found.put(key.substring(prefix.length()), setting);
            }
        });
        return found;
    }

    void error(String message) {
        errors.add(message);
    }

    /** Returns null if the key is not set and has no default. */
    String optional(String key) {
        Setting setting = byKey.get(key);
        return setting == null ? ConfigKeys.defaultOf(key) : setting.value();
    }

    String text(String key, Pattern shape, String expectation) {
        return text(key, shape.asMatchPredicate(), expectation);
    }

    String text(String key, Predicate<String> isValid, String expectation) {
        String value = required(key);
        return value == null || isValid.test(value) ? value : bad(key, expectation);
    }

    /** Returns null if the key is not set. */
    Path optionalPath(String key) {
        return optional(key) == null ? null : path(key);
    }

    Path path(String key) {
        try {
            return base().resolve(required(key));
        } catch (InvalidPathException e) {
            bad(key, "a path");
            return Path.of("");
        }
    }

    /**
     * The directory that relative paths start at: the one of the configuration file, and never the working directory.
     * In the distribution's own file it is the directory that contains {@code bin/} and {@code conf/}, which the start
     * script names.
     */
    Path base() {
        if (file == null) {
            return Path.of("").toAbsolutePath();
        }
        String home = System.getProperty(HOME);
        String own = System.getProperty(OWN_FILE);
        Path absolute = file.toAbsolutePath().normalize();
        return home != null && own != null && absolute.equals(Path.of(own).normalize())
                ? Path.of(home)
                : absolute.getParent();
    }

    /** Returns the content of a file, without the end of its last line. */
    String read(String path) throws IOException {
        Path resolved = base().resolve(path);
        TrustedFiles.openToAll(resolved).ifPresent(problem -> errors.add(problem + "; it is read as configuration"));
        return SmallFile.read(resolved).stripTrailing();
    }

    /** Returns the content of the file that a key names. Reports one that cannot be read, and returns an empty text. */
    String readFileOf(String key, String path) {
        try {
            return read(path);
        } catch (IOException | InvalidPathException e) {
            errors.add(key + " names the file " + path + ", which can't be read: " + e.getMessage());
            return "";
        }
    }

    /** Returns the entries of a value, which commas separate; none for null. */
    static List<String> entries(String value) {
        return Stream.of(value == null ? new String[0] : value.split(","))
                .map(String::strip)
                .filter(entry -> !entry.isEmpty())
                .toList();
    }

    /** Returns the hosts that a value of this key lists; none for null. Reports entries that name none. */
    HostList hosts(String key, String value) {
        return value == null
                ? HostList.EMPTY
                : HostList.parse(
                        value,
                        entry -> errors.add(key + ": \"" + entry
                                + "\" is not a host, *.domain, address or range such as 10.0.0.0/8"));
    }

    /** Returns the enum constant of this name, in any case. */
    <E extends Enum<E>> E choice(String key, Class<E> words) {
        E[] all = words.getEnumConstants();
        String value = required(key);
        for (E word : all) {
            if (word.name().equalsIgnoreCase(value)) {
                return word;
            }
        }
        bad(
                key,
                Arrays.stream(all)
                        .map(word -> word.name().toLowerCase(Locale.ROOT))
                        .collect(Collectors.joining(", ", "one of ", "")));
        return all[0];
    }

    boolean bool(String key) {
        String value = required(key);
        if (!"true".equals(value) && !"false".equals(value)) {
            bad(key, "true or false");
        }
        return "true".equals(value);
    }

    int number(String key, int min, int max) {
        String value = required(key);
        try {
            int number = value == null ? min : Integer.parseInt(value);
            if (min <= number && number <= max) {
                return number;
            }
        } catch (NumberFormatException e) {
            // Reported below, like a number out of bounds.
        }
        bad(key, "a whole number from " + min + " to " + max);
        return min;
    }

    Duration duration(String key, Duration min, Duration max, Duration ifAbsent) {
        return optional(key) == null ? ifAbsent : duration(key, min, max);
    }

    Duration duration(String key, Duration min, Duration max) {
        String value = required(key);
        try {
            Duration duration = value == null ? min : Duration.parse(value);
            if (min.compareTo(duration) <= 0 && duration.compareTo(max) <= 0) {
                return duration;
            }
        } catch (DateTimeException e) {
            // Reported below, like a duration out of bounds.
        }
        bad(key, "a duration from " + min + " to " + max + ", such as PT30S");
        return min;
    }

    /** Returns the effective setting of each key; keys without a value and a default are left out. */
    List<EffectiveSetting> effective() {
        Map<String, EffectiveSetting> found = new TreeMap<>();
        for (String key : ConfigKeys.ALL) {
            String value = ConfigKeys.defaultOf(key);
            if (value != null) {
                found.put(key, masked(key, value, "default"));
            }
        }
        byKey.forEach((key, setting) -> found.put(key, masked(key, setting.value(), setting.source())));
        return List.copyOf(found.values());
    }

    void refuseErrors() {
        if (!errors.isEmpty()) {
            throw new ConfigException(errors);
        }
    }

    private String required(String key) {
        String value = optional(key);
        if (value == null) {
            errors.add(key + " is required: set it in the file, "
                    + (isProgram
                            ? "or in the program with set(\"" + key + "\", …)"
                            : "as " + ConfigReader.PREFIX + ConfigKeys.variable(key) + ", or with --set " + key
                                    + "=…"));
        }
        return value;
    }

    private String bad(String key, String expectation) {
        Setting setting = byKey.get(key);
        errors.add(key + " must be " + expectation + ", not \""
                + (ConfigKeys.SECRETS.contains(key) ? "******" : DatabaseUrl.masked(setting.value())) + "\" ("
                + setting.source() + ")");
        return null;
    }

    private static EffectiveSetting masked(String key, String value, String source) {
        return new EffectiveSetting(key, isSecret(key) ? MASK : DatabaseUrl.masked(value), source);
    }

    private static boolean isSecret(String key) {
        return ConfigKeys.SECRETS.contains(key)
                || key.startsWith(ConfigKeys.PROFILES_PREFIX) && CallProfilesReader.isPassword(key)
                || key.startsWith(ConfigKeys.SECRETS_PREFIX)
                        && !key.endsWith(ConfigReader.FILE_SUFFIX)
                        && ConfigKeys.SECRET_SCOPES.stream().noneMatch(scope -> key.endsWith("." + scope));
    }
}
