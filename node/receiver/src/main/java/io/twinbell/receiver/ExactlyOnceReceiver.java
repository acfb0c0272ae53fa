package io.twinbell.receiver;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.UnaryOperator;

/**
 * Lets each call of a pair take effect exactly once, if the effect is a change of the receiver's own database.
 *
 * <pre>{@code
 * ExactlyOnceReceiver receiver = ExactlyOnceReceiver.builder(CallTransactions.of(dataSource)).build();
 * ReceiverAnswer answer = receiver.receive(TwinbellCall.of(request::getHeader), connection -> {
 *     book(connection, invoice);
 *     return ReceiverAnswer.of(200);
 * });
 * }</pre>
 *
 * <p>Safe for use by many threads and by many processes on one database.
 */
public final class ExactlyOnceReceiver {
    /** After this many calls, old calls are forgotten, the oldest first: at most four times this number. */
    private static final int CALLS_BETWEEN_SWEEPS = 256;

    private static final System.Logger LOG = System.getLogger(ExactlyOnceReceiver.class.getName());

    private final CallTransactions transactions;
    private final CallMemory memory;
    private final CallSignature signature;
    private final Duration remembered;
    /** The greatest epoch that this process knows to be stored. */
    private final AtomicLong stored = new AtomicLong();

    private final AtomicLong calls = new AtomicLong();

    /** Carries an answer that is no success past the roll-back. */
    private static final class NoEffect extends Exception {
        private static final long serialVersionUID = 1;
        private final transient ReceiverAnswer answer;

        NoEffect(ReceiverAnswer answer) {
            super(null, null, false, false);
            this.answer = answer;
        }
    }

    private ExactlyOnceReceiver(Builder builder) {
        transactions = builder.transactions;
        memory = new CallMemory(builder.source, builder.patience, builder.clock);
        signature = new CallSignature(builder.secrets, builder.tolerance, builder.clock);
        remembered = builder.remembered;
    }

    /** Begins to describe a receiver that works in these transactions. */
    public static Builder builder(CallTransactions transactions) {
        return new Builder(transactions);
    }

    /**
     * Creates the receiver's two tables where they do not exist: {@code io/twinbell/receiver/tables.sql} of this jar,
     * which a migration may contain as well. Several processes may do so at once. A connection without auto-commit is left
     * uncommitted.
     */
    public static void createTables(Connection connection) throws SQLException {
        CallMemory.createTables(connection);
    }

    /**
     * Checks the signature, if the receiver has a secret.
     *
     * @param headers the value of a header by its name, or null if there is none
     * @param body the bytes as they arrived
     * @throws CallRefusedException 401 if it is missing, wrong or too old
     */
    public void verify(UnaryOperator<String> headers, byte[] body) {
        signature.check(headers, body);
    }

    /**
     * Applies the effect of a call, or returns the answer that the same call got before. While another thread or process
     * applies the effect of the same call, this one waits.
     *
     * @throws CallRefusedException 409 if the call's epoch is over, 503 if the effect of the same call is still in
     *     progress after the {@linkplain Builder#patience patience}; neither has an effect
     * @throws Exception what the effect or the database throws; everything is rolled back
     */
    public ReceiverAnswer receive(TwinbellCall call, CallEffect effect) throws Exception {
        if (call.epoch() != stored.get()) {
            transactions.inTransaction(connection -> {
                memory.raise(connection, call.epoch());
                return null;
            });
            stored.set(call.epoch());
        }
        try {
            ReceiverAnswer answer = transactions.inTransaction(connection -> {
                Optional<ReceiverAnswer> before = memory.enter(connection, call);
                if (before.isPresent()) {
                    return before.get();
                }
                ReceiverAnswer now = effect.apply(connection);
                if (!now.isSuccess()) {
                    throw new NoEffect(now);
                }
                memory.complete(connection, call, now);
                return now;
            });
            sweep();
            return answer;
        } catch (NoEffect e) {
            return e.answer;
        }
    }

    /**
     * Forgets calls that are older than {@link Builder#remember}, the oldest first. {@link #receive} does so after every 256
     * calls, so most applications need not call this.
     *
     * @param limit the maximum number of calls to forget
     * @return how many were forgotten
     */
    public int forget(int limit) throws Exception {
        return transactions.inTransaction(connection -> memory.forget(connection, remembered, limit));
    }

    private void sweep() {
        if (calls.incrementAndGet() % CALLS_BETWEEN_SWEEPS == 0) {
            try {
                forget(4 * CALLS_BETWEEN_SWEEPS);
            } catch (Exception e) {
                // The call itself has succeeded. The next sweep deletes these too.
                LOG.log(System.Logger.Level.WARNING, "old calls could not be deleted: " + e.getMessage());
            }
        }
    }

    /** Describes a receiver. */
    public static final class Builder {
        private static final int MAX_SOURCE = 100;

        private final CallTransactions transactions;
        private final List<String> secrets = new ArrayList<>();
        private String source = "twinbell";
        private Duration remembered = Duration.ofDays(30);
        private Duration tolerance = Duration.ofMinutes(5);
        private Duration patience = Duration.ofSeconds(5);
        private Clock clock = Clock.systemUTC();

        private Builder(CallTransactions transactions) {
            this.transactions = transactions;
        }

        /** Names the pair that calls, {@code twinbell} by default. Keys and epochs of two pairs mean different things. */
        public Builder source(String name) {
            if (name.isBlank() || name.length() > MAX_SOURCE) {
                throw new IllegalArgumentException("a source has 1 to " + MAX_SOURCE + " characters");
            }
            source = name;
            return this;
        }

        /**
         * Accepts only calls signed with this secret, or with one of the others that were given. A secret of the form
         * {@code whsec_…} also verifies signatures of Standard Webhooks.
         *
         * @throws IllegalArgumentException if the secret is empty, or begins with {@code whsec_} and is not of that form
         */
        public Builder secret(String secret) {
            if (secret.isEmpty()) {
                throw new IllegalArgumentException("a secret must not be empty");
            }
            if (WebhookKey.isOne(secret)) {
                WebhookKey.read(secret);
            }
            secrets.add(secret);
            return this;
        }

        /** Accepts signatures whose age, by this machine's clock, is at most this: 5 minutes by default. */
        public Builder tolerance(Duration age) {
            tolerance = age;
            return this;
        }

        /**
         * Remembers a call for this time, 30 days by default. Choose more than the time in which a slot may be
         * retried, or rerun from the console or the command line.
         */
        public Builder remember(Duration time) {
            if (time.compareTo(Duration.ofHours(1)) < 0) {
                throw new IllegalArgumentException("a call is remembered for at least an hour, not " + time);
            }
            remembered = time;
            return this;
        }

        /** How long a call waits for the effect of the same call in another transaction: 5 s by default, in whole seconds. */
        public Builder patience(Duration time) {
            patience = time;
            return this;
        }

        Builder clock(Clock now) {
            clock = now;
            return this;
        }

        /** Returns the receiver. It does not use the database yet. */
        public ExactlyOnceReceiver build() {
            return new ExactlyOnceReceiver(this);
        }
    }
}
