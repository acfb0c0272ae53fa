package io.twinbell.node.config;

import io.twinbell.node.handler.config.HandlerConfig.Secret;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;

/**
 * Reads the secrets that tasks may use: {@code secrets.NAME} is the value, {@code secrets.NAME_FILE} a file with the
 * value, and {@code secrets.NAME.hosts} and {@code secrets.NAME.apps} limit the receivers and apps that may use it.
 */
final class SecretsReader {
    private static final Pattern NAME = Pattern.compile("[A-Z][A-Z0-9_]{0,62}");
    private static final String HOSTS = ".hosts";
    private static final String APPS = ".apps";

    private final Settings settings;
    private final Map<String, Setting> given;
    private final Map<String, String> values = new TreeMap<>();
    private final Map<String, Setting> hosts = new TreeMap<>();
    private final Map<String, Setting> apps = new TreeMap<>();

    private SecretsReader(Settings settings) {
        this.settings = settings;
        this.given = settings.below(ConfigKeys.SECRETS_PREFIX);
    }

    static Map<String, Secret> read(Settings settings) {
        return new SecretsReader(settings).read();
    }

    private Map<String, Secret> read() {
        given.forEach((key, setting) -> {
            String scoped = scoped(key, setting);
            if (scoped.endsWith(HOSTS)) {
                hosts.put(scoped.substring(0, scoped.length() - HOSTS.length()), setting);
            } else if (scoped.endsWith(APPS)) {
                apps.put(scoped.substring(0, scoped.length() - APPS.length()), setting);
            } else {
                value(key, setting);
            }
        });
        scopesWithoutSecret(hosts, HOSTS);
        scopesWithoutSecret(apps, APPS);
        Map<String, Secret> secrets = new TreeMap<>();
        values.forEach((name, value) -> secrets.put(
                name,
                new Secret(
                        value,
                        settings.hosts(ConfigKeys.SECRETS_PREFIX + name + HOSTS, value(hosts.get(name))),
                        new TreeSet<>(Settings.entries(value(apps.get(name)))))));
        return secrets;
    }

    /** A variable has no dots: {@code TWINBELL_SECRETS_KEY_HOSTS} is the scope of KEY, if a secret KEY exists. */
    private String scoped(String key, Setting setting) {
        for (String scope : ConfigKeys.SECRET_SCOPES) {
            String suffix = "_" + scope.toUpperCase(Locale.ROOT);
            if (key.endsWith(suffix) && setting.source().startsWith(ConfigReader.VARIABLE)) {
                String name = key.substring(0, key.length() - suffix.length());
                if (given.containsKey(name) || given.containsKey(name + ConfigReader.FILE_SUFFIX)) {
                    return name + "." + scope;
                }
            }
        }
        return key;
    }

    private void value(String key, Setting setting) {
        boolean isFile = key.endsWith(ConfigReader.FILE_SUFFIX);
        String name = isFile ? key.substring(0, key.length() - ConfigReader.FILE_SUFFIX.length()) : key;
        if (!NAME.matcher(name).matches()) {
            settings.error(ConfigKeys.SECRETS_PREFIX + key + " (" + setting.source()
                    + "): the name of a secret consists of capital letters, digits and \"_\", and only "
                    + HOSTS + " or " + APPS + " may follow it");
        } else if (values.put(
                        name,
                        isFile
                                ? settings.readFileOf(ConfigKeys.SECRETS_PREFIX + key, setting.value())
                                : setting.value())
                != null) {
            settings.error(ConfigKeys.SECRETS_PREFIX + name + " is set twice, with " + ConfigReader.FILE_SUFFIX
                    + " and without");
        }
    }

    /** Refuses a scope without a secret: with a typing error in its name, a scope would silently limit nothing. */
    private void scopesWithoutSecret(Map<String, Setting> scopes, String scope) {
        scopes.forEach((name, setting) -> {
            if (!values.containsKey(name)) {
                settings.error(ConfigKeys.SECRETS_PREFIX + name + scope + " (" + setting.source()
                        + "): there is no secret " + name);
            } else if (setting.value().isBlank()) {
                settings.error(ConfigKeys.SECRETS_PREFIX + name + scope + " (" + setting.source()
                        + "): must name at least one; omit the key for no limit");
            }
        });
    }

    private static String value(Setting setting) {
        return setting == null ? null : setting.value();
    }
}
