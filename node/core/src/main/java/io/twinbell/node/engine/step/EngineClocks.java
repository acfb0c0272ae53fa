package io.twinbell.node.engine.step;

import io.twinbell.persistence.clock.MeasuredClock;
import io.twinbell.persistence.clock.Ticker;
import java.time.InstantSource;

/**
 * The clocks of one engine.
 *
 * @param database the database's clock, as this node measures it
 * @param monotonic does not count while the machine sleeps
 * @param uptime counts while the machine sleeps
 * @param wall the machine's wall clock
 */
public record EngineClocks(MeasuredClock database, Ticker monotonic, Ticker uptime, InstantSource wall) {
    public TimeSources measured() {
        return new TimeSources(database, monotonic);
    }
}
