package io.twinbell.lab.server;

import java.io.IOException;
import java.sql.PreparedStatement;
import java.sql.ResultSet;

/** A load of one-shot tasks that an application adds by SQL at a steady rate, with its completions by the ledger. */
public final class OneShotLoad {
    private static final double MICROS = 1000;
    private static final long LATEST_MILLIS = 60_000;

    private static final String ADD = """
            select count(*) from twinbell.add_tasks((
              select jsonb_agg(jsonb_build_object('app', ?::text, 'name', n::text, 'overlap', 'ALLOW',
                'handler', jsonb_build_object('type', 'java', 'key', 'twinbell.noop'),
                'schedule', jsonb_build_object('at', to_char(
                  twinbell.instant(?::bigint + (n - ?) * 1000 / ?) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))))
              from generate_series(?::bigint, ?::bigint) n))""";

    private static final String ENDED = """
            select count(*) filter (where ended_at >= w.from_time and ended_at < w.until_time),
                   coalesce(percentile_disc(0.5) within group (order by late) filter (where fire_time >= w.from_time), 0),
                   coalesce(percentile_disc(0.99) within group (order by late) filter (where fire_time >= w.from_time), 0)
            from (select twinbell.instant(?) as from_time, twinbell.instant(?) as until_time) w,
              lateral (select fire_time, ended_at, (extract(epoch from started_at - fire_time) * 1000000)::bigint as late
                from twinbell.execution
                where app = ? and fire_time >= twinbell.instant(?) and fire_time < twinbell.instant(?) and state = 'SUCCEEDED') e""";

    private static final String ACCOUNT = """
            select count(*) filter (where ended_at is not null), count(*) filter (where state = 'SUCCEEDED')
            from twinbell.execution where app = ?""";

    private final DatabaseOperator database;
    private final String app;
    private final int perSecond;
    private long added;

    public OneShotLoad(DatabaseOperator database, String app, int perSecond) {
        this.database = database;
        this.app = app;
        this.perSecond = perSecond;
    }

    /**
     * The completions of a span.
     *
     * @param perSecond executions that ended in the span, a second
     * @param medianMillis the median lateness of the slots that were due in the span
     * @param p99Millis the lateness that 99 of 100 of them do not exceed
     */
    public record Completions(double perSecond, double medianMillis, double p99Millis) {}

    /**
     * What became of the whole load.
     *
     * @param added how many tasks were added
     * @param ended how many of them have an outcome in the ledger
     * @param succeeded how many of those succeeded
     */
    public record Account(long added, long ended, long succeeded) {}

    /** Adds the tasks that are due in the second that begins at an instant. */
    public void addSecond(long fromMillis) throws IOException {
        database.work("add tasks", connection -> {
            try (PreparedStatement add = connection.prepareStatement(ADD)) {
                add.setString(1, app);
                add.setLong(2, fromMillis);
                add.setLong(3, added);
                add.setInt(4, perSecond);
                add.setLong(5, added);
                add.setLong(6, added + perSecond - 1);
                return add.execute();
            }
        });
        added += perSecond;
    }

    /** Counts what has ended in a span of time, which must have passed. */
    public Completions between(long fromMillis, long untilMillis) throws IOException {
        return database.work("count the ended tasks", connection -> {
            try (PreparedStatement query = connection.prepareStatement(ENDED)) {
                query.setLong(1, fromMillis);
                query.setLong(2, untilMillis);
                query.setString(3, app);
                query.setLong(4, fromMillis - LATEST_MILLIS);
                query.setLong(5, untilMillis);
                try (ResultSet row = query.executeQuery()) {
                    row.next();
                    double seconds = (untilMillis - fromMillis) / 1000.0;
                    return new Completions(row.getLong(1) / seconds, row.getLong(2) / MICROS, row.getLong(3) / MICROS);
                }
            }
        });
    }

    /** Counts the outcomes of all tasks that were added so far. */
    public Account account() throws IOException {
        return database.work("count the outcomes", connection -> {
            try (PreparedStatement query = connection.prepareStatement(ACCOUNT)) {
                query.setString(1, app);
                try (ResultSet row = query.executeQuery()) {
                    row.next();
                    return new Account(added, row.getLong(1), row.getLong(2));
                }
            }
        });
    }
}
