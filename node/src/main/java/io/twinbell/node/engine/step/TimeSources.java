package io.twinbell.node.engine.step;

import io.twinbell.persistence.database.DatabaseClock;
import io.twinbell.persistence.database.Ticker;

/** Fire times and ends are told by the database's clock, trust and pauses by the monotonic one. */
public record TimeSources(DatabaseClock database, Ticker monotonic) {}
