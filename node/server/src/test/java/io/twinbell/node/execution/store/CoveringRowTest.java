package io.twinbell.node.execution.store;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.twinbell.persistence.ledger.Slot;
import io.twinbell.persistence.testing.TestPostgres;
import io.twinbell.persistence.testing.TestTasks;
import java.time.Instant;
import java.util.Optional;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;

/** Which row accounts for an instant that has none of its own. */
class CoveringRowTest {
    private static final Instant MISSED_FROM = Instant.parse("2026-11-01T00:00:00Z");

    private final DataSource database = TestPostgres.freshDatabase();
    private final TestTasks tasks = new TestTasks(database);
    private final ExplanationSource source = new ExplanationSource(database, "moved");

    @Test
    void a_row_of_several_slots_is_found_behind_requested_runs() {
        addMissedDay();
        addRequestedRuns(500);
        assertEquals(Optional.of(new Slot(1, MISSED_FROM.toEpochMilli())), covering("2026-11-01T12:00:00Z"));
        assertEquals(Optional.empty(), covering("2026-11-02T00:00:01Z"), "the row ends at midnight");
        assertEquals(Optional.empty(), covering("2026-10-31T23:59:59Z"), "the row begins later");
    }

    @Test
    void a_run_at_the_instant_itself_takes_precedence() {
        addMissedDay();
        addRequestedRuns(500);
        Instant run = MISSED_FROM.plusSeconds(7);
        assertEquals(Optional.of(new Slot(1, run.toEpochMilli())), covering(run.toString()));
    }

    @Test
    void the_search_ends_after_the_latest_ten_thousand_rows() {
        addMissedDay();
        addRequestedRuns(9_999);
        assertEquals(Optional.of(new Slot(1, MISSED_FROM.toEpochMilli())), covering("2026-11-01T12:00:00Z"));
        addRequestedRuns(10_000);
        assertEquals(Optional.empty(), covering("2026-11-01T12:00:00Z"));
    }

    private Optional<Slot> covering(String instant) {
        return source.covering(1, Instant.parse(instant).toEpochMilli());
    }

    private void addMissedDay() {
        tasks.execute("insert into twinbell.execution (task_id, fire_time, until_fire_time, slots, app, name, state)"
                + " values (1, '" + MISSED_FROM + "', timestamptz '" + MISSED_FROM
                + "' + interval '1 day', 86401, 'shop', 'close', 'MISSED')");
    }

    /** One run a second, from a second after the beginning of that row. */
    private void addRequestedRuns(int count) {
        tasks.execute("insert into twinbell.execution (task_id, fire_time, app, name, state, origin)"
                + " select 1, timestamptz '" + MISSED_FROM
                + "' + i * interval '1 second', 'shop', 'close', 'SUCCEEDED', 'BACKFILLED' from generate_series(1, "
                + count + ") i on conflict do nothing");
    }
}
