package io.twinbell.tools.drill;

import io.twinbell.tools.client.CommandClock;
import io.twinbell.tools.drill.fault.Fault;
import io.twinbell.tools.terminal.Progress;
import io.twinbell.tools.terminal.Terminal;
import java.time.Duration;
import java.util.Iterator;

/** Faults, with a bar that says how many were done: on a terminal alone, since each round is told of anyway. */
final class CountedFaults implements Iterator<Fault> {
    private final Iterator<Fault> faults;
    private final Progress bar;
    private final int total;
    private final Duration limit;
    private final CommandClock clock = new CommandClock();
    private final long began = clock.nanos();
    private int given;

    /** @param limit how long there are more; null if there are so many in total */
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
