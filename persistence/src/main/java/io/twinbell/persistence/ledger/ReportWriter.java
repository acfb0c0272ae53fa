package io.twinbell.persistence.ledger;

import io.twinbell.persistence.epoch.Epoch;
import java.util.List;

/** Where reports of running attempts are kept. */
@FunctionalInterface
public interface ReportWriter {
    /** Nobody reads them. */
    ReportWriter NONE = (epoch, reports) -> {};

    /** Writes the latest reports of attempts of one epoch. An epoch that may not write any more changes nothing. */
    void write(Epoch epoch, List<AttemptReport.OfAttempt> reports);
}
