package io.twinbell.persistence.epoch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.twinbell.persistence.database.DedicatedConnection;
import io.twinbell.persistence.database.ServerHistory;
import io.twinbell.persistence.database.ServerHistory.Position;
import io.twinbell.persistence.epoch.DoubtWindow.DoubtBounds;
import io.twinbell.persistence.testing.TestPostgres;
import io.twinbell.persistence.testing.TestSettings;
import io.twinbell.persistence.testing.TestTasks;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.postgresql.ds.PGSimpleDataSource;

/**
 * What a successor concludes about slots in doubt. The heartbeat is real, and the test sets what the node knows of the
 * promotion.
 */
class DoubtWindowTest {
    private static final long FOUR_SECONDS = 4000;

    private final PGSimpleDataSource database = TestPostgres.freshDatabase();
    private final TestTasks sql = new TestTasks(database);

    @AutoClose
    private final DedicatedConnection connection = new DedicatedConnection(TestSettings.of(database, "a"), "test", 5);

    private final ServerHistory servers = new ServerHistory();
    private final DoubtWindow doubt = new DoubtWindow(connection, servers);

    @Test
    void slots_up_to_four_seconds_after_the_last_heartbeat_are_in_doubt_if_the_server_was_promoted_since() {
        isOnTimeline(2, 0);
        lastBeat(1, false, 1_000_000);
        assertEquals(new DoubtBounds(1_000_000 + FOUR_SECONDS, 0), doubt.window(false));
    }

    @Test
    void a_heartbeat_that_the_promoted_server_lacks_counts_if_the_pair_knows_of_it() {
        isOnTimeline(1, 1_003_000);
        isOnTimeline(2, 1_000_000);
        lastBeat(1, false, 1_000_000);
        assertEquals(new DoubtBounds(1_003_000 + FOUR_SECONDS, 0), doubt.window(false));
    }

    @Test
    void nothing_is_in_doubt_on_the_same_server_or_if_a_synchronous_replica_was_waited_for() {
        isOnTimeline(2, 0);
        lastBeat(2, false, 1_000_000);
        assertEquals(DoubtBounds.NONE, doubt.window(false));
        lastBeat(1, true, 1_000_000);
        assertEquals(DoubtBounds.NONE, doubt.window(false));
        sql.execute("update twinbell.heartbeat set timeline = null, is_synchronous = null");
        assertEquals(DoubtBounds.NONE, doubt.window(false), "the heartbeat names no timeline");
    }

    @Test
    void slots_in_doubt_stay_so_for_the_next_master_except_for_later_tasks() {
        long task = sql.insert("t", "{}", 1_000_000);
        isOnTimeline(2, 0);
        lastBeat(1, false, 1_000_000);
        DoubtBounds found = doubt.window(false);
        lastBeat(2, false, 1_060_000);
        assertEquals(found, doubt.window(false), "the first master was lost before all was entered");
        assertEquals(found, doubt.window(true));
        assertTrue(found.has(task, 1_004_000));
        assertFalse(found.has(task, 1_004_001));
        assertFalse(found.has(task + 1, 1_004_000));
    }

    @Test
    void a_server_that_has_the_resignation_of_the_last_master_lacks_nothing() {
        isOnTimeline(2, 0);
        lastBeat(1, false, 1_000_000);
        assertEquals(DoubtBounds.NONE, doubt.window(true));
    }

    @Test
    void no_slot_of_the_future_is_in_doubt_even_if_the_clock_was_set_back() {
        long inAnHour = sql.number("select twinbell.now_millis()") + 3_600_000;
        isOnTimeline(2, 0);
        lastBeat(1, false, inAnHour);
        long until = doubt.window(false).untilMillis();
        assertTrue(until <= sql.number("select twinbell.now_millis()"), "until " + until);
    }

    private void isOnTimeline(long timeline, long markMillis) {
        servers.note(new Position(7, timeline, markMillis), "node b");
    }

    private void lastBeat(long timeline, boolean isSynchronous, long markMillis) {
        sql.execute("update twinbell.heartbeat set timeline = " + timeline + ", is_synchronous = " + isSynchronous);
        sql.execute("select setval('twinbell.history_mark', " + markMillis + ")");
    }
}
