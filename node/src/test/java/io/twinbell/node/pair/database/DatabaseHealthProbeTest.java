package io.twinbell.node.pair.database;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.twinbell.persistence.clock.MeasuredClock;
import io.twinbell.persistence.clock.Ticker;
import io.twinbell.persistence.database.DatabaseSettings;
import io.twinbell.persistence.database.DedicatedConnection;
import io.twinbell.persistence.testing.HandTicker;
import io.twinbell.persistence.testing.TestPostgres;
import io.twinbell.persistence.testing.TestSettings;
import java.sql.Statement;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;
import org.junit.jupiter.api.Test;

class DatabaseHealthProbeTest {
    private final DatabaseSettings settings = TestSettings.of(TestPostgres.freshDatabase(), "a");
    private final List<Boolean> told = new ArrayList<>();

    private final DatabaseHealthProbe.Listener listener = new DatabaseHealthProbe.Listener() {
        @Override
        public void reachChanged(boolean reached) {
            told.add(reached);
        }

        @Override
        public void clockJumped(long millis) {
            throw new AssertionError("the clock jumped by " + millis + " ms");
        }
    };

    @Test
    void a_server_that_takes_no_writes_is_not_reached_and_the_next_session_may_be_with_another() {
        try (DedicatedConnection connection = new DedicatedConnection(settings, "pulse", 2)) {
            DatabaseHealthProbe pulse = pulse(connection);
            pulse.step();
            assertTrue(pulse.isReached());
            connection.run(c -> {
                try (Statement statement = c.createStatement()) {
                    return statement.execute("set default_transaction_read_only = on");
                }
            });
            pulse.step();
            assertFalse(pulse.isReached());
            assertEquals("the database accepts no writes", pulse.summary());
            pulse.step();
            assertTrue(pulse.isReached());
            assertEquals(List.of(true, false, true), told);
        }
    }

    @Test
    void an_answer_from_before_the_machine_slept_sets_no_clock_back() {
        HandTicker ticker = new HandTicker();
        HandTicker uptime = new HandTicker();
        MeasuredClock clock = new MeasuredClock(ticker, InstantSource.system());
        long answered = clock.nowMicros();
        LongSupplier askMicros = () -> {
            uptime.pass(Duration.ofSeconds(8));
            clock.atLeast(answered + 8_000_000);
            return answered;
        };
        clock.measured(answered, ticker.nanos());
        new DatabaseHealthProbe(askMicros, clock, ticker, uptime, listener).step();
        assertEquals(answered + 8_000_000, clock.nowMicros());
    }

    private DatabaseHealthProbe pulse(DedicatedConnection connection) {
        return new DatabaseHealthProbe(
                connection,
                new MeasuredClock(Ticker.SYSTEM, InstantSource.system()),
                Ticker.SYSTEM,
                Ticker.UPTIME,
                listener);
    }
}
