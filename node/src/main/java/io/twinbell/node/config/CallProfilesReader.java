package io.twinbell.node.config;

import io.twinbell.node.handler.config.CallProfile;
import io.twinbell.node.json.NearestName;
import io.twinbell.node.tls.TlsFiles;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;

/**
 * Reads the profiles of http calls: {@code handlers.http.profiles.NAME.proxy} and so on. A password may be in a file
 * that {@code proxyPassword_FILE} or {@code keyPassword_FILE} names.
 */
final class CallProfilesReader {
    private static final String PROXY = "proxy";
    private static final String PROXY_USER = "proxyUser";
    private static final String PROXY_PASSWORD = "proxyPassword";
    private static final String CERTIFICATE = "certificate";
    private static final String KEY = "key";
    private static final String KEY_PASSWORD = "keyPassword";
    private static final String CA = "ca";
    private static final String HOSTS = "hosts";
    private static final String APPS = "apps";

    /** No member's variable ends with another member's variable. So each variable names one profile and one member. */
    private static final List<String> MEMBERS =
            List.of(PROXY, PROXY_USER, PROXY_PASSWORD, CERTIFICATE, KEY, KEY_PASSWORD, CA, HOSTS, APPS);

    private static final List<String> PASSWORDS = List.of(PROXY_PASSWORD, KEY_PASSWORD);
    private static final Pattern NAME = Pattern.compile("[a-z][a-z0-9_]{0,62}");

    /** Each profile in use has connections and two threads of its own. */
    private static final int MOST_PROFILES = 50;

    private static final int MAX_PORT = 65_535;

    private final Settings settings;
    private final String name;
    private final Map<String, Setting> given = new TreeMap<>();

    private CallProfilesReader(Settings settings, String name) {
        this.settings = settings;
        this.name = name;
    }

    static Map<String, CallProfile> read(Settings settings) {
        Map<String, CallProfilesReader> readers = new TreeMap<>();
        settings.below(ConfigKeys.PROFILES_PREFIX).forEach((key, setting) -> {
            int dot = key.lastIndexOf('.');
            String name = dot < 0 ? key : key.substring(0, dot);
            if (dot < 0) {
                settings.error(ConfigKeys.PROFILES_PREFIX + key + " (" + setting.source()
                        + "): is a profile, so it needs members such as " + key + "." + PROXY);
            } else if (NAME.matcher(name).matches()) {
                readers.computeIfAbsent(name, one -> new CallProfilesReader(settings, one))
                        .add(key.substring(dot + 1), setting);
            } else {
                settings.error(ConfigKeys.PROFILES_PREFIX + key + " (" + setting.source()
                        + "): the name of a profile consists of small letters, digits and \"_\"");
            }
        });
        if (readers.size() > MOST_PROFILES) {
            settings.error(ConfigKeys.PROFILES_PREFIX + "*: " + readers.size() + " profiles are configured; at most "
                    + MOST_PROFILES + " are allowed");
        }
        Map<String, CallProfile> profiles = new TreeMap<>();
        readers.forEach((name, reader) -> profiles.put(name, reader.read()));
        return profiles;
    }

    /**
     * Returns the key of a variable, {@code partner.proxyUser} for {@code PARTNER_PROXY_USER}; empty if it ends with no
     * member.
     */
    static Optional<String> keyOfVariable(String variable) {
        for (String member : MEMBERS) {
            String suffix = "_" + ConfigKeys.variable(member);
            for (String end : List.of("", ConfigReader.FILE_SUFFIX)) {
                if (variable.endsWith(suffix + end) && (end.isEmpty() || PASSWORDS.contains(member))) {
                    String name = variable.substring(0, variable.length() - suffix.length() - end.length());
                    return Optional.of(name.toLowerCase(Locale.ROOT) + "." + member + end);
                }
            }
        }
        return Optional.empty();
    }

    /** Whether a key below the prefix has a value that must not be shown. */
    static boolean isPassword(String key) {
        return PASSWORDS.stream().anyMatch(member -> key.endsWith("." + member));
    }

    private void add(String member, Setting setting) {
        boolean isFile = member.endsWith(ConfigReader.FILE_SUFFIX);
        String bare = isFile ? member.substring(0, member.length() - ConfigReader.FILE_SUFFIX.length()) : member;
        if (isFile ? !PASSWORDS.contains(bare) : !MEMBERS.contains(bare)) {
            settings.error("unknown key \"" + key(member) + "\" (" + setting.source() + ")"
                    + NearestName.hint(member, MEMBERS));
        } else if (given.put(bare, isFile ? fromFile(member, setting) : setting) != null) {
            settings.error(key(bare) + " is set twice, with " + ConfigReader.FILE_SUFFIX + " and without");
        }
    }

    private Setting fromFile(String member, Setting setting) {
        String path = setting.value();
        return new Setting(settings.readFileOf(key(member), path), "the file " + path);
    }

    private CallProfile read() {
        given.forEach((member, setting) -> {
            if (setting.value().isBlank() && !PASSWORDS.contains(member)) {
                settings.error(key(member) + " (" + setting.source() + "): is empty; omit the key");
            }
        });
        if (!given.containsKey(PROXY) && !given.containsKey(CERTIFICATE) && !given.containsKey(CA)) {
            settings.error(ConfigKeys.PROFILES_PREFIX + name + ": needs " + PROXY + ", " + CERTIFICATE + " or " + CA
                    + "; the other keys alone change no call");
        }
        TlsFiles tls = new TlsFiles(
                settings.optionalPath(key(CERTIFICATE)),
                settings.optionalPath(key(KEY)),
                value(KEY_PASSWORD),
                settings.optionalPath(key(CA)),
                null,
                TlsFiles.Clients.NONE);
        if (given.containsKey(KEY_PASSWORD) && !given.containsKey(CERTIFICATE)) {
            settings.error(key(KEY_PASSWORD) + ": needs " + CERTIFICATE);
        }
        tls.problems().forEach(problem -> settings.error(ConfigKeys.PROFILES_PREFIX + name + ": " + problem));
        return new CallProfile(proxy(), tls, settings.hosts(key(HOSTS), value(HOSTS)), apps());
    }

    private CallProfile.Proxy proxy() {
        Setting setting = given.get(PROXY);
        String user = value(PROXY_USER);
        String password = value(PROXY_PASSWORD);
        if ((user == null) != (password == null)) {
            settings.error(ConfigKeys.PROFILES_PREFIX + name + ": " + PROXY_USER + " and " + PROXY_PASSWORD
                    + " belong together");
        } else if (user != null && setting == null) {
            settings.error(key(PROXY_USER) + ": needs " + PROXY);
        } else if (user != null && user.contains(":")) {
            settings.error(key(PROXY_USER) + ": must not contain a colon, which ends the user in a login");
        }
        if (setting == null || setting.value().isBlank()) {
            return null;
        }
        try {
            URI uri = new URI(setting.value().strip());
            boolean isPlain = uri.getRawUserInfo() == null
                    && uri.getRawQuery() == null
                    && uri.getRawFragment() == null
                    && ("".equals(uri.getRawPath()) || "/".equals(uri.getRawPath()));
            if ("http".equalsIgnoreCase(uri.getScheme())
                    && isPlain
                    && uri.getHost() != null
                    && 1 <= uri.getPort()
                    && uri.getPort() <= MAX_PORT) {
                return new CallProfile.Proxy(uri.getHost().replaceAll("[\\[\\]]", ""), uri.getPort(), user, password);
            }
        } catch (URISyntaxException e) {
            // Reported below. The value may contain a password.
        }
        settings.error(key(PROXY) + " (" + setting.source() + "): must be http://host:port; a login belongs to "
                + PROXY_USER + " and " + PROXY_PASSWORD);
        return null;
    }

    private Set<String> apps() {
        String entries = value(APPS);
        Set<String> names = new TreeSet<>(Settings.entries(entries));
        if (entries != null && !entries.isBlank() && names.isEmpty()) {
            settings.error(key(APPS) + ": must name at least one app; omit the key for no limit");
        }
        return names;
    }

    private String value(String member) {
        Setting setting = given.get(member);
        return setting == null ? null : setting.value();
    }

    private String key(String member) {
        return ConfigKeys.PROFILES_PREFIX + name + "." + member;
    }
}
