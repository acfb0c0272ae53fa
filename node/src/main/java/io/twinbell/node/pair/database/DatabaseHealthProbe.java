package io.twinbell.node.pair.database;

import io.twinbell.persistence.clock.MeasuredClock;
import io.twinbell.persistence.clock.Ticker;
import io.twinbell.persistence.database.DatabaseUnavailableException;
import io.twinbell.persistence.database.DedicatedConnection;
import io.twinbell.persistence.database.WrongSchemaException;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Checks ten times a second, on a dedicated connection, whether the database answers and accepts writes, and measures
 * its clock. Its loop logs failures.
 */
public final class DatabaseHealthProbe {
    private static final Logger LOG = LoggerFactory.getLogger(DatabaseHealthProbe.class);
    /**
     * The other node considers a master's host lost after 250 ms of silence, so two or three questions fall into that
     * time.
     */
    private static final Duration INTERVAL = Duration.ofMillis(100);
    /**
     * The longest wait for an answer. A master that loses the database resigns within three seconds: this wait, the
     * interval, and the second in which the other node must say that it reaches the database.
     */
    private static final Duration PATIENCE = Duration.ofMillis(1200);

    private static final String NO_ANSWER = "the database does not answer";
    private static final String READ_ONLY = "25006";

    private final LongSupplier askMicros;
    private final MeasuredClock clock;
    private final Ticker ticker;
    private final Ticker uptime;
    private final Listener listener;
    private volatile boolean reached;
    private volatile DatabaseUnavailableException failure;
    private volatile long answeredNanos;

    /** Receives changes. Called on the probe's thread. */
    public interface Listener {
        /** The database has become reachable or unreachable. */
        void reachChanged(boolean reached);

        /** The database's clock jumped by {@code millis} relative to the monotonic clock. */
        void clockJumped(long millis);
    }

    /** @param uptime a ticker that continues while the machine sleeps, or {@code ticker} again */
    public DatabaseHealthProbe(
            DedicatedConnection connection, MeasuredClock clock, Ticker ticker, Ticker uptime, Listener listener) {
        this(() -> ask(connection), clock, ticker, uptime, listener);
    }

    /** @param askMicros asks the database for its time, in microseconds since 1970 UTC */
    public DatabaseHealthProbe(
            LongSupplier askMicros, MeasuredClock clock, Ticker ticker, Ticker uptime, Listener listener) {
        this.askMicros = askMicros;
        this.clock = clock;
        this.ticker = ticker;
        this.uptime = uptime;
        this.listener = listener;
    }

    /** Takes one measurement; returns how long to wait for the next, in nanoseconds. */
    public long step() {
        try {
            long asked = ticker.nanos();
            long askedUptime = uptime.nanos();
            long micros = askMicros.getAsLong();
            long received = ticker.nanos();
            // If the machine slept meanwhile, the answer is older than the ticker shows.
            long slept = Math.max(0, uptime.nanos() - askedUptime - (received - asked));
            answered(clock.measured(micros, asked - slept, received));
        } catch (DatabaseUnavailableException e) {
            failed(e);
        }
        return INTERVAL.toNanos();
    }

    private static long ask(DedicatedConnection connection) {
        return connection.run(c -> {
            c.setNetworkTimeout(Runnable::run, (int) PATIENCE.toMillis());
            try (Statement statement = c.createStatement();
                    ResultSet row = statement.executeQuery("""
                            select (extract(epoch from clock_timestamp()) * 1000000)::bigint,
                                   current_setting('transaction_read_only')::boolean, pg_is_in_recovery()""")) {
                row.next();
                if (row.getBoolean(2)) {
                    // As bad as no answer: a master could claim nothing on this server, and would never resign. The
                    // next session may reach the server that has replaced this one.
                    throw new SQLException(
                            "the server accepts no writes: "
                                    + (row.getBoolean(3)
                                            ? "it is a standby server; database.url must point to the primary"
                                            : "default_transaction_read_only is on for the server, the database or"
                                                    + " the role"),
                            READ_ONLY);
                }
                return row.getLong(1);
            }
        });
    }

    private void answered(long jumpMillis) {
        answeredNanos = ticker.nanos();
        failure = null;
        if (!reached) {
            reached = true;
            listener.reachChanged(true);
        }
        if (jumpMillis != 0) {
            LOG.warn("the database's clock jumped by {} ms", jumpMillis);
            listener.clockJumped(jumpMillis);
        }
    }

    private void failed(DatabaseUnavailableException e) {
        failure = e;
        if (reached) {
            reached = false;
            listener.reachChanged(false);
        }
    }

    /** Whether the last attempt was answered by a server that accepts writes. */
    public boolean isReached() {
        return reached;
    }

    /** Why the database is not reached, as {@link DatabaseUnavailableException#summary}. */
    public String summary() {
        DatabaseUnavailableException last = failure;
        return last == null ? NO_ANSWER : last.summary();
    }

    /** The same, followed by the words of the driver or the server. */
    public String details() {
        DatabaseUnavailableException last = failure;
        return last == null ? NO_ANSWER : last.summary() + ": " + last.getMessage();
    }

    /** @throws WrongSchemaException if no session can be opened until a person changes a server setting */
    public void refuseIfAPersonIsNeeded() {
        DatabaseUnavailableException last = failure;
        if (last != null && last.needsOperator()) {
            throw new WrongSchemaException("the server accepts no session: " + last.getMessage(), last);
        }
    }

    /** Whether an answer came within {@code bound} until now. */
    public boolean hasAnsweredWithin(Duration bound) {
        return answeredNanos != 0 && ticker.nanos() - answeredNanos <= bound.toNanos();
    }
}
