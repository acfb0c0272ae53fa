package io.twinbell.node.engine;

import io.twinbell.persistence.database.DatabaseClock;
import io.twinbell.persistence.database.Ticker;

/** Fire times and ends are told by the database's clock, trust and pauses by the monotonic one. */
record TimeSources(DatabaseClock database, Ticker monotonic) {}
