package io.twinbell.node.pair;

import io.twinbell.node.api.ChangeStream;
import io.twinbell.node.calendar.CalendarEdits;
import io.twinbell.node.config.NodeConfig;
import io.twinbell.node.engine.Housekeeper;
import io.twinbell.node.engine.StepThread;
import io.twinbell.node.engine.StuckDetector;
import io.twinbell.persistence.calendar.JdbcCalendarStore;
import io.twinbell.persistence.database.DatabaseClock;
import io.twinbell.persistence.database.Ticker;
import io.twinbell.persistence.epoch.Epoch;
import io.twinbell.persistence.ledger.JdbcChanges;
import io.twinbell.persistence.ledger.JdbcUnfinished;
import io.twinbell.persistence.ledger.JdbcUpkeep;
import io.twinbell.persistence.ledger.Outcome;
import io.twinbell.persistence.task.JdbcLaggingTasks;
import io.twinbell.persistence.task.TaskStore;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/** What goes on beside firing, each on a thread of its own: nothing that fires or beats waits for any of it. */
final class Background implements AutoCloseable {
    private final ChangeStream changes;
    private final StuckDetector stuck;
    private final CalendarEdits calendars;
    private final List<StepThread> threads;

    /** @param epoch this node's while it is master, else null */
    Background(
            NodeDatabase database,
            NodeConfig.Retention retention,
            TaskStore tasks,
            DatabaseClock clock,
            Ticker ticker,
            Supplier<Epoch> epoch) {
        changes = new ChangeStream(new JdbcChanges(database.pool()), ticker);
        stuck = new StuckDetector(new JdbcUnfinished(database.housekeeping()), ticker);
        calendars = new CalendarEdits(new JdbcCalendarStore(database.pool()), new JdbcLaggingTasks(database.pool()));
        Housekeeper housekeeper =
                new Housekeeper(new JdbcUpkeep(database.housekeeping()), kept(retention), clock, ticker, epoch);
        PauseEnds pauseEnds = new PauseEnds(tasks, () -> epoch.get() != null, clock, calendars::fresh);
        StepThread changeStream = new StepThread("change-stream", changes::step);
        changes.wakes(changeStream::wake);
        threads = List.of(
                changeStream,
                new StepThread("housekeeper", () -> Math.min(housekeeper.step(), stuck.step())),
                new StepThread("calendars", calendars::step),
                new StepThread("pause-ends", pauseEnds::step));
    }

    private static Housekeeper.Kept kept(NodeConfig.Retention retention) {
        return new Housekeeper.Kept(
                retention.executions(),
                Map.of(
                        Outcome.SUCCEEDED, retention.succeeded(),
                        Outcome.FAILED, retention.failed(),
                        Outcome.SKIPPED, retention.skipped()),
                retention.finishedTasks());
    }

    ChangeStream changes() {
        return changes;
    }

    StuckDetector stuck() {
        return stuck;
    }

    CalendarEdits calendars() {
        return calendars;
    }

    void start() {
        threads.forEach(StepThread::start);
    }

    @Override
    public void close() {
        threads.forEach(StepThread::close);
    }
}
