package io.twinbell.tools.check;

/** An epoch and who became master under it; {@code atMillis} is by the database's clock. */
public record EpochOpening(long epoch, String node, long atMillis) {}
