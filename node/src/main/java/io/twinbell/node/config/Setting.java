package io.twinbell.node.config;

/**
 * A value as somebody wrote it.
 *
 * @param source where, for error messages
 */
record Setting(String value, String source) {}
