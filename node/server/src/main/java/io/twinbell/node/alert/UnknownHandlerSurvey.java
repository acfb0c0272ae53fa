package io.twinbell.node.alert;

import io.twinbell.node.cluster.store.HandlerKeys.UnknownCode;
import io.twinbell.node.execution.PeriodicQuery;
import io.twinbell.node.loop.Loop;
import io.twinbell.persistence.clock.DatabaseClock;
import io.twinbell.persistence.clock.Ticker;
import java.time.Duration;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.IntFunction;

/** Looks on the master, every 30 s, for java handlers and http profiles that tasks need and no node has. */
public final class UnknownHandlerSurvey {
    static final int MAX_HANDLERS = 100;
    private static final Duration CHECK_INTERVAL = Duration.ofSeconds(30);

    private final IntFunction<List<UnknownCode>> query;
    private final BooleanSupplier isMaster;
    private final DatabaseClock clock;
    private final PeriodicQuery periodicQuery;
    private volatile Report report = Report.NONE;

    /** @param atMillis when the survey was made, by the database's clock; 0 if there was none yet */
    public record Report(long atMillis, List<UnknownCode> missing) {
        static final Report NONE = new Report(0, List.of());
    }

    /** @param query takes the greatest number to return of each kind */
    public UnknownHandlerSurvey(
            IntFunction<List<UnknownCode>> query,
            BooleanSupplier isMaster,
            DatabaseClock clock,
            Ticker ticker,
            Loop loop) {
        this.query = query;
        this.isMaster = isMaster;
        this.clock = clock;
        periodicQuery = new PeriodicQuery(CHECK_INTERVAL, ticker, loop);
    }

    /** Makes the survey if it is due; returns how long until the next, in nanoseconds. */
    public long step() {
        return periodicQuery.step(() -> {
            if (isMaster.getAsBoolean()) {
                long now = clock.nowMillis();
                report = new Report(now, query.apply(MAX_HANDLERS));
            }
        });
    }

    /** The result of the last survey. */
    public Report report() {
        return report;
    }
}
