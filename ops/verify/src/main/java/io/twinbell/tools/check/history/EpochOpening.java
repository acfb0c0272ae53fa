package io.twinbell.tools.check.history;

/** The opening of an epoch by a new master; {@code atMillis} is by the database's clock. */
public record EpochOpening(long epoch, String node, long atMillis) {}
