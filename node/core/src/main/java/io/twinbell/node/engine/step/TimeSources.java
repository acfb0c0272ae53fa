package io.twinbell.node.engine.step;

import io.twinbell.persistence.clock.DatabaseClock;
import io.twinbell.persistence.clock.Ticker;

/**
 * The two clocks of the engine's parts: fire times and ends use the database's clock; the trust window and waiting
 * times use the monotonic clock.
 */
public record TimeSources(DatabaseClock database, Ticker monotonic) {}
