package io.twinbell.node.engine;

import io.twinbell.node.handler.Journal;
import io.twinbell.persistence.database.DatabaseClock;
import io.twinbell.persistence.database.DatabaseUnavailableException;
import io.twinbell.persistence.epoch.Epoch;
import io.twinbell.persistence.ledger.Report;
import io.twinbell.persistence.ledger.ReportWriter;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Makes durable what handlers report: once a second while they run, and before their outcome. Recorder's thread only. */
final class Reports {
    private static final Logger LOG = LoggerFactory.getLogger(Reports.class);
    private static final long PAUSE_MILLIS = 1000;
    private static final int BATCH = 200;

    private final ReportWriter writer;
    private final InFlight inFlight;
    private final DatabaseClock clock;
    private long lastMillis = Long.MIN_VALUE / 2;

    private record News(Run run, long version, Report report) {}

    Reports(ReportWriter writer, InFlight inFlight, DatabaseClock clock) {
        this.writer = writer;
        this.inFlight = inFlight;
        this.clock = clock;
    }

    /** Writes what running handlers have reported since, unless that was done within the last second. */
    void step() {
        long now = clock.nowMillis();
        if (Math.abs(now - lastMillis) >= PAUSE_MILLIS) {
            lastMillis = now;
            write(inFlight.all());
        }
    }

    /** @throws DatabaseUnavailableException if it is not known whether they were written */
    void write(Collection<Run> runs) {
        Map<Epoch, List<News>> byEpoch = new LinkedHashMap<>();
        for (Run run : runs) {
            Journal journal = run.journal();
            if (journal == null) {
                continue;
            }
            long version = journal.version();
            if (version != journal.writtenVersion()) {
                byEpoch.computeIfAbsent(run.epoch(), epoch -> new ArrayList<>())
                        .add(new News(run, version, journal.report()));
            }
        }
        byEpoch.forEach((epoch, news) -> {
            for (int from = 0; from < news.size(); from += BATCH) {
                write(epoch, news.subList(from, Math.min(from + BATCH, news.size())));
            }
        });
    }

    private void write(Epoch epoch, List<News> news) {
        try {
            writer.write(
                    epoch,
                    news.stream()
                            .map(one -> new Report.OfAttempt(
                                    one.run().slot(), one.run().attempt().attempt(), one.report()))
                            .toList());
        } catch (DatabaseUnavailableException e) {
            if (!e.isRefusal()) {
                throw e;
            }
            LOG.error("the database refuses {} reports of handlers", news.size(), e);
        }
        news.forEach(one -> one.run().journal().written(one.version()));
    }
}
