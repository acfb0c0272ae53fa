package io.twinbell.persistence.ledger.record;

import io.twinbell.persistence.epoch.Epoch;
import io.twinbell.persistence.ledger.AttemptReport;
import java.util.List;

/** Stores the progress reports of running attempts. */
@FunctionalInterface
public interface ReportWriter {
    /** Discards all reports. */
    ReportWriter NONE = (epoch, reports) -> {};

    /** Writes the latest reports of attempts of one epoch. An epoch that may no longer write changes nothing. */
    void write(Epoch epoch, List<AttemptReport.OfAttempt> reports);
}
