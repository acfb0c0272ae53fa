package io.twinbell.lab;

import io.twinbell.lab.fault.Fault;
import io.twinbell.tools.client.CommandClock;
import io.twinbell.tools.terminal.Progress;
import io.twinbell.tools.terminal.Terminal;
import java.time.Duration;
import java.util.Iterator;

/**
 * Iterates over the faults and shows a progress bar. The bar appears on a terminal only, because each round is reported
 * anyway.
 */
final class CountedFaults implements Iterator<Fault> {
    private final Iterator<Fault> faults;
    private final Progress bar;
    private final int total;
    private final Duration limit;
    private final CommandClock clock = new CommandClock();
    private final long began = clock.nanos();
    private int given;

    /** @param limit the time for which faults follow; null if their number is {@code total} */
    CountedFaults(Iterator<Fault> faults, Progress bar, int total, Duration limit) {
        this.faults = faults;
        this.bar = bar;
        this.total = total;
        this.limit = limit;
    }

    @Override
    public boolean hasNext() {
        return faults.hasNext();
    }

    @Override
    public Fault next() {
        Fault fault = faults.next();
        if (Terminal.current().showsErr()) {
            if (limit == null) {
                bar.at(given, total, "rounds, " + fault);
            } else {
                bar.at((double) clock.since(began).toNanos() / limit.toNanos(), given + " rounds, " + fault);
            }
        }
        given++;
        return fault;
    }
}
