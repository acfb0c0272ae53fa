package io.twinbell.node.config;

/**
 * The configured value of a key.
 *
 * @param source where it was set, for error messages
 */
public record Setting(String value, String source) {}
