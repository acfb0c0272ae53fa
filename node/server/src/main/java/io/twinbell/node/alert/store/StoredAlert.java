package io.twinbell.node.alert.store;

/**
 * A stored alert.
 *
 * @param version grows by one with each change
 * @param content JSON text that this module does not read
 * @param updatedAtMillis milliseconds since 1970 UTC
 */
public record StoredAlert(String name, long version, String content, long createdAtMillis, long updatedAtMillis) {}
