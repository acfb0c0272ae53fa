package io.twinbell.persistence.ledger;

import io.twinbell.persistence.database.DedicatedConnection;
import io.twinbell.persistence.epoch.Authority;
import io.twinbell.persistence.epoch.Epoch;
import java.sql.PreparedStatement;
import java.util.List;

/** Reports, in one guarded statement a batch. */
public final class JdbcReportWriter implements ReportWriter {
    private static final String WRITE = "with " + Authority.ALSO_WHILE_DRAINING + """
            update twinbell.execution e
            set progress = r.progress, progress_message = r.message, log = r.log
            from unnest(?::bigint[], ?::bigint[], ?::bigint[], ?::float8[], ?::text[], ?::text[])
              as r(task_id, fire, attempt, progress, message, log)
            where twinbell.same(e.task_id, r.task_id) and twinbell.same(e.fire_time, twinbell.instant(r.fire))
              and e.attempt = r.attempt and e.epoch = ? and exists (select 1 from authority)""";

    private final DedicatedConnection connection;
    private final OpenBatches batches;

    public JdbcReportWriter(DedicatedConnection connection, OpenBatches batches) {
        this.connection = connection;
        this.batches = batches;
    }

    @Override
    public void write(Epoch epoch, List<Report.OfAttempt> reports) {
        connection.run(c -> {
            batches.spread(c, reports.stream().map(Report.OfAttempt::slot).toList());
            try (PreparedStatement statement = c.prepareStatement(WRITE)) {
                int next = Authority.bind(statement, 1, epoch);
                statement.setArray(next++, Rows.longs(c, reports, r -> r.slot().taskId()));
                statement.setArray(next++, Rows.longs(c, reports, r -> r.slot().fireTimeMillis()));
                statement.setArray(next++, Rows.longs(c, reports, Report.OfAttempt::attempt));
                statement.setArray(
                        next++,
                        c.createArrayOf(
                                "float8",
                                reports.stream()
                                        .map(r -> r.report().progress())
                                        .map(p -> p.isPresent() ? (Object) p.getAsDouble() : null)
                                        .toArray()));
                statement.setArray(
                        next++,
                        Rows.texts(c, reports, r -> Rows.storable(r.report().message())));
                statement.setArray(
                        next++,
                        Rows.texts(c, reports, r -> Rows.storable(r.report().log())));
                statement.setLong(next, epoch.number());
                return statement.executeUpdate();
            }
        });
    }
}
