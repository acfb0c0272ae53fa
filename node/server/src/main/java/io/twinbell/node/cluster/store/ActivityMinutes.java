package io.twinbell.node.cluster.store;

import io.twinbell.node.metrics.EngineTotals;
import io.twinbell.persistence.database.Rows;
import io.twinbell.persistence.database.Transactions;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Types;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import javax.sql.DataSource;

/** Stores what each master did, by minute; the last seven days are kept. */
public final class ActivityMinutes {
    public static final Duration KEPT = Duration.ofDays(7);

    /** A minute belongs to one process, which counts upwards, so the latest numbers replace earlier ones. */
    private static final String PUT = """
            insert into twinbell.activity_minute (minute, epoch, node, claimed, succeeded, failed, cancelled, not_run,
              lateness_p50_millis, lateness_p99_millis)
            values (twinbell.instant(?), ?, ?, ?, ?, ?, ?, ?, ?, ?)
            on conflict (minute, epoch) do update set claimed = excluded.claimed, succeeded = excluded.succeeded,
              failed = excluded.failed, cancelled = excluded.cancelled, not_run = excluded.not_run,
              lateness_p50_millis = excluded.lateness_p50_millis, lateness_p99_millis = excluded.lateness_p99_millis""";

    private static final String FORGET = "delete from twinbell.activity_minute where minute < twinbell.instant(?)";

    /** The latest rows of the span, if there are more than the limit. */
    private static final String BETWEEN = """
            select twinbell.millis(minute), epoch, node, claimed, succeeded, failed, cancelled, not_run,
              lateness_p50_millis, lateness_p99_millis
            from twinbell.activity_minute where minute >= twinbell.instant(?) and minute < twinbell.instant(?)
            order by minute desc, epoch desc limit ?""";

    private final Transactions transactions;

    /**
     * What a master did in one minute.
     *
     * @param minuteMillis the beginning of the minute, in milliseconds since 1970
     * @param epoch the master's epoch
     * @param latenessP50Millis the median lateness of the runs that ended, in milliseconds; null if none ended
     * @param latenessP99Millis 99 % of the runs that ended were at most this late
     */
    public record ActivityMinute(
            long minuteMillis,
            long epoch,
            String node,
            EngineTotals.Counts counts,
            Double latenessP50Millis,
            Double latenessP99Millis) {}

    public ActivityMinutes(DataSource pool) {
        transactions = new Transactions(pool);
    }

    /** Stores the minutes, in place of earlier numbers of the same minute and epoch. */
    public void put(List<ActivityMinute> minutes) {
        transactions.run("store the activity", connection -> {
            try (PreparedStatement statement = connection.prepareStatement(PUT)) {
                for (ActivityMinute minute : minutes) {
                    bind(statement, minute);
                    statement.addBatch();
                }
                return statement.executeBatch();
            }
        });
    }

    private static void bind(PreparedStatement statement, ActivityMinute minute) throws SQLException {
        EngineTotals.Counts counts = minute.counts();
        statement.setLong(1, minute.minuteMillis());
        statement.setLong(2, minute.epoch());
        statement.setString(3, minute.node());
        statement.setLong(4, counts.claimed());
        statement.setLong(5, counts.succeeded());
        statement.setLong(6, counts.failed());
        statement.setLong(7, counts.cancelled());
        statement.setLong(8, counts.notRun());
        statement.setObject(9, minute.latenessP50Millis(), Types.DOUBLE);
        statement.setObject(10, minute.latenessP99Millis(), Types.DOUBLE);
    }

    /** Deletes the minutes before this instant. */
    public void forgetBefore(long millis) {
        transactions.run("delete old activity", connection -> {
            try (PreparedStatement statement = connection.prepareStatement(FORGET)) {
                statement.setLong(1, millis);
                return statement.executeUpdate();
            }
        });
    }

    /**
     * Returns the minutes of a span, oldest first; two masters of one minute have a row each. If there are more than
     * {@code limit}, the latest ones.
     */
    public List<ActivityMinute> between(long fromMillis, long untilMillis, int limit) {
        return transactions.run("read the activity", connection -> {
            try (PreparedStatement statement = connection.prepareStatement(BETWEEN)) {
                statement.setLong(1, fromMillis);
                statement.setLong(2, untilMillis);
                statement.setInt(3, limit);
                List<ActivityMinute> minutes = Rows.all(
                        statement,
                        row -> new ActivityMinute(
                                row.getLong(1),
                                row.getLong(2),
                                row.getString(3),
                                new EngineTotals.Counts(
                                        row.getLong(4), row.getLong(5), row.getLong(6), row.getLong(7), row.getLong(8)),
                                row.getObject(9, Double.class),
                                row.getObject(10, Double.class)));
                Collections.reverse(minutes);
                return minutes;
            }
        });
    }
}
