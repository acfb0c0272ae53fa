package io.twinbell.persistence.ledger.record;

import io.twinbell.persistence.database.DedicatedConnection;
import io.twinbell.persistence.epoch.Epoch;
import io.twinbell.persistence.epoch.EpochGuard;
import io.twinbell.persistence.ledger.AttemptReport;
import io.twinbell.persistence.ledger.ColumnArrays;
import io.twinbell.persistence.ledger.PackedSlots;
import java.sql.PreparedStatement;
import java.util.List;

/** Writes progress reports in one guarded statement per batch. */
public final class JdbcReportWriter implements ReportWriter {
    private static final String WRITE = "with " + EpochGuard.ALSO_WHILE_DRAINING + """
            update twinbell.execution e
            set progress = r.progress, progress_message = r.message, log = r.log
            from unnest(?::bigint[], ?::bigint[], ?::bigint[], ?::float8[], ?::text[], ?::text[])
              as r(task_id, fire, attempt, progress, message, log)
            where twinbell.same(e.task_id, r.task_id) and twinbell.same(e.fire_time, twinbell.instant(r.fire))
              and e.attempt = r.attempt and e.epoch = ? and exists (select 1 from authority)""";

    private final DedicatedConnection connection;
    private final PackedSlots batches;

    public JdbcReportWriter(DedicatedConnection connection, PackedSlots batches) {
        this.connection = connection;
        this.batches = batches;
    }

    @Override
    public void write(Epoch epoch, List<AttemptReport.OfAttempt> reports) {
        connection.run(c -> {
            batches.unpack(
                    c, reports.stream().map(AttemptReport.OfAttempt::slot).toList());
            try (PreparedStatement statement = c.prepareStatement(WRITE)) {
                int next = new ColumnArrays<>(statement, EpochGuard.bind(statement, 1, epoch), reports)
                        .slots(AttemptReport.OfAttempt::slot)
                        .longs(AttemptReport.OfAttempt::attempt)
                        .doubles(r -> r.report().progress())
                        .handlerTexts(r -> r.report().message())
                        .handlerTexts(r -> r.report().log())
                        .next();
                statement.setLong(next, epoch.number());
                return statement.executeUpdate();
            }
        });
    }
}
