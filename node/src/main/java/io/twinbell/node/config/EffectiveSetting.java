package io.twinbell.node.config;

import io.twinbell.persistence.database.DatabaseUrl;

/**
 * The effective value of a configuration key.
 *
 * @param value as written, with secrets masked
 * @param source where it was set, or {@code default}
 */
public record EffectiveSetting(String key, String value, String source) {
    private static final String MASK = "******";

    static EffectiveSetting masked(String key, String value, String source) {
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
