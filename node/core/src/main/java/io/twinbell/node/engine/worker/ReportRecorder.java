package io.twinbell.node.engine.worker;

import io.twinbell.node.engine.handler.AttemptReports;
import io.twinbell.node.engine.run.Run;
import io.twinbell.node.engine.run.RunRegistry;
import io.twinbell.node.loop.Loop;
import io.twinbell.persistence.clock.DatabaseClock;
import io.twinbell.persistence.database.DatabaseUnavailableException;
import io.twinbell.persistence.epoch.Epoch;
import io.twinbell.persistence.ledger.AttemptReport;
import io.twinbell.persistence.ledger.record.ReportWriter;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

/** Records the reports of handlers: once a second while they run, and before their outcome. Recorder's thread only. */
public final class ReportRecorder {
    private static final long PAUSE_MILLIS = 1000;
    private static final int BATCH = 200;
    /** Each failure may last as long as a statement may, and outcomes wait meanwhile. */
    private static final int FAILURES_A_STEP = 2;

    private final ReportWriter writer;
    private final RunRegistry registry;
    private final DatabaseClock clock;
    private final Loop loop;
    private int atOnce = BATCH;
    private int failures;
    private long lastMillis = Long.MIN_VALUE / 2;

    private record UnsentReport(Run run, long version, AttemptReport report) {}

    public ReportRecorder(ReportWriter writer, RunRegistry registry, DatabaseClock clock, Loop loop) {
        this.writer = writer;
        this.registry = registry;
        this.clock = clock;
        this.loop = loop;
    }

    /** Writes new reports of running handlers, unless that was done within the last second. */
    void step() {
        long now = clock.nowMillis();
        if (Math.abs(now - lastMillis) >= PAUSE_MILLIS) {
            lastMillis = now;
            write(registry.all());
        }
    }

    /**
     * Writes new reports of these runs.
     *
     * @throws DatabaseUnavailableException if it is unknown whether they were written
     */
    void write(Collection<Run> runs) {
        List<UnsentReport> unsent = new ArrayList<>();
        for (Run run : runs) {
            AttemptReports attemptReports = run.attemptReports();
            if (attemptReports == null) {
                continue;
            }
            long version = attemptReports.version();
            if (version != attemptReports.writtenVersion()) {
                unsent.add(new UnsentReport(run, version, attemptReports.report()));
            }
        }
        failures = 0;
        Epoch.group(unsent, one -> one.run().epoch()).forEach(this::writeAll);
    }

    /** Writes in groups, and in smaller ones after a failure, until the failing report is alone. */
    private void writeAll(Epoch epoch, List<UnsentReport> news) {
        for (int from = 0; from < news.size() && failures < FAILURES_A_STEP; ) {
            List<UnsentReport> some = news.subList(from, Math.min(from + atOnce, news.size()));
            if (write(epoch, some)) {
                from += some.size();
                atOnce = Math.min(BATCH, 2 * atOnce);
            } else {
                failures++;
                atOnce = Math.max(1, some.size() / 2);
            }
        }
    }

    /**
     * Returns false if the group failed and is to be split. A report that fails alone waits until its handler reports
     * again.
     */
    private boolean write(Epoch epoch, List<UnsentReport> news) {
        loop.begin();
        try {
            writer.write(
                    epoch,
                    news.stream()
                            .map(one -> new AttemptReport.OfAttempt(
                                    one.run().slot(), one.run().attempt().attempt(), one.report()))
                            .toList());
        } catch (DatabaseUnavailableException e) {
            loop.failed(e);
            if (e.isOutage()) {
                throw e;
            }
            if (news.size() > 1) {
                return false;
            }
            loop.setAside("the report of " + news.get(0).run().slot().idempotencyKey(), e);
        } finally {
            loop.end();
        }
        news.forEach(one -> one.run().attemptReports().written(one.version()));
        return true;
    }
}
