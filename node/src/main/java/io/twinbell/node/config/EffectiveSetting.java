package io.twinbell.node.config;

import java.util.regex.Pattern;

/**
 * What counts for a key.
 *
 * @param value as it was written, without what is secret
 * @param source where it was written, or {@code default}
 */
public record EffectiveSetting(String key, String value, String source) {
    private static final String MASK = "******";
    private static final Pattern SECRET_PARAMETER = Pattern.compile("(?i)([?&][a-z]*password=)[^&]*");

    static EffectiveSetting masked(String key, String value, String source) {
        return new EffectiveSetting(key, isSecret(key) ? MASK : withoutPasswords(value), source);
    }

    /** A JDBC URL may carry passwords as parameters. */
    private static String withoutPasswords(String value) {
        return SECRET_PARAMETER.matcher(value).replaceAll("$1" + MASK);
    }

    private static boolean isSecret(String key) {
        return ConfigKeys.SECRETS.contains(key)
                || key.startsWith(ConfigKeys.SECRETS_PREFIX)
                        && !key.endsWith(ConfigReader.FILE_SUFFIX)
                        && ConfigKeys.SECRET_SCOPES.stream().noneMatch(scope -> key.endsWith("." + scope));
    }
}
