package io.twinbell.persistence.database;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Optional;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Asks the database for the time, ten times a second, on a connection of its own: this measures the clock and tells whether
 * the database can be reached, and takes writes. Says once a minute that it cannot.
 */
public final class DatabaseHealthProbe {
    private static final Logger LOG = LoggerFactory.getLogger(DatabaseHealthProbe.class);
    /** The other node takes a master's host for lost that has said nothing for 250 ms, so three questions fall into that. */
    private static final Duration INTERVAL = Duration.ofMillis(100);
    /**
     * No answer in this time is none. With the interval, and the second that a master gives the other node to say that it
     * does reach the database, it resigns within three.
     */
    private static final Duration PATIENCE = Duration.ofMillis(1200);

    private static final String READ_ONLY = "25006";
    private static final Duration REPEAT_WARNING_AFTER = Duration.ofMinutes(1);

    private final LongSupplier askMicros;
    private final MeasuredClock clock;
    private final Ticker ticker;
    private final Ticker uptime;
    private final Listener listener;
    private volatile boolean reached;
    private volatile DatabaseUnavailableException failure;
    private volatile long answeredNanos;
    private boolean hasWarned;
    private long warnedNanos;

    /** Who wants to know. Called on the pulse's thread. */
    public interface Listener {
        /** The database is reached again, or no longer. */
        void reachChanged(boolean reached);

        /** Its clock jumped against the monotonic one by {@code millis}. */
        void clockJumped(long millis);
    }

    /** @param uptime one that goes on while the machine sleeps, or {@code ticker} again */
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

    /** One measurement; returns how long to wait for the next, in nanoseconds. */
    public long step() {
        try {
            long asked = ticker.nanos();
            long askedUptime = uptime.nanos();
            long micros = askMicros.getAsLong();
            long received = ticker.nanos();
            // An answer from before the machine slept has been long in coming, though the ticker says that it was not.
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
                    ResultSet row =
                            statement.executeQuery("select (extract(epoch from clock_timestamp()) * 1000000)::bigint,"
                                    + " current_setting('transaction_read_only')::boolean, pg_is_in_recovery()")) {
                row.next();
                if (row.getBoolean(2)) {
                    // As good as none: whoever is master here could claim nothing, and would never make way. The next
                    // session may be with the server that has taken this one's place.
                    throw new SQLException(
                            "the server takes no writes: "
                                    + (row.getBoolean(3)
                                            ? "it is a standby server; database.url must lead to the primary"
                                            : "default_transaction_read_only is on for server, database or role"),
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
            hasWarned = false;
            LOG.info("the database answers");
            listener.reachChanged(true);
        }
        if (jumpMillis != 0) {
            LOG.warn("the database's clock jumped by {} ms", jumpMillis);
            listener.clockJumped(jumpMillis);
        }
    }

    private void failed(DatabaseUnavailableException e) {
        failure = e;
        if (!hasWarned || ticker.nanos() - warnedNanos >= REPEAT_WARNING_AFTER.toNanos()) {
            hasWarned = true;
            warnedNanos = ticker.nanos();
            LOG.warn("the database does not answer, trying on: {}", e.getMessage());
        }
        if (reached) {
            reached = false;
            listener.reachChanged(false);
        }
    }

    /** Whether the last attempt was answered by a server that takes writes. */
    public boolean isReached() {
        return reached;
    }

    /** Why the last attempt was not answered; empty if it was, or before the first. */
    public Optional<String> failure() {
        DatabaseUnavailableException last = failure;
        return last == null ? Optional.empty() : Optional.ofNullable(last.getMessage());
    }

    /** @throws WrongSchemaException if no session can be opened until a person changes a setting of the server */
    public void refuseIfAPersonIsNeeded() {
        DatabaseUnavailableException last = failure;
        if (last != null && last.needsAPerson()) {
            throw new WrongSchemaException("no session can be opened: " + last.getMessage(), last);
        }
    }

    /** Whether an answer came within {@code bound}. */
    public boolean hasAnsweredWithin(Duration bound) {
        return answeredNanos != 0 && ticker.nanos() - answeredNanos <= bound.toNanos();
    }
}
