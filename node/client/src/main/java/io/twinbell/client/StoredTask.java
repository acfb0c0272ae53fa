package io.twinbell.client;

/** The identity of a stored task. */
public record StoredTask(long id, String app, String name) {}
