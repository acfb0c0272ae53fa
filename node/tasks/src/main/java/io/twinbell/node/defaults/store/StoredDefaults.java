package io.twinbell.node.defaults.store;

/**
 * The stored defaults of one key.
 *
 * @param key {@link TaskDefaultsStore#CLUSTER}, or {@link TaskDefaultsStore#APP} followed by an app
 * @param content JSON text: the members of tasks that have a default
 */
public record StoredDefaults(String key, long version, String content, long createdAtMillis, long updatedAtMillis) {}
