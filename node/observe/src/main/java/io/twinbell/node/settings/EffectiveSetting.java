package io.twinbell.node.settings;

/**
 * The effective value of a configuration key.
 *
 * @param value as written, with secrets masked
 * @param source where it was set, or {@code default}
 */
public record EffectiveSetting(String key, String value, String source) {}
