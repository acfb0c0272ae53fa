package io.twinbell.node.limit.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.twinbell.persistence.cluster.Pause;
import io.twinbell.persistence.database.DedicatedConnection;
import io.twinbell.persistence.testing.TestPostgres;
import io.twinbell.persistence.testing.TestSettings;
import io.twinbell.persistence.testing.TestTasks;
import java.util.OptionalLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.postgresql.ds.PGSimpleDataSource;

class FiringPausesTest {
    private static final long FAR = 4_102_444_800_000L;

    private final PGSimpleDataSource database = TestPostgres.freshDatabase();
    private final TestTasks sql = new TestTasks(database);
    private final DedicatedConnection connection =
            new DedicatedConnection(TestSettings.of(database, "a"), "cluster", 5);
    private final FiringPauses pauses = new FiringPauses(connection);

    @AfterEach
    void close() {
        connection.close();
    }

    private Pause latest() {
        return pauses.latest().get(0);
    }

    private void letTheEndPass() {
        sql.execute("update twinbell.firing_pause set paused_at = '2026-01-01', paused_until = '2026-01-02'");
    }

    @Test
    void the_time_that_a_restored_database_lacks_is_entered_as_a_pause_that_is_over() {
        pauses.addRestore(1_000, "backup of Monday", "bob");
        assertEquals(1_000, latest().fromMillis());
        assertTrue(latest().isRestore());
        assertFalse(latest().isOpenAt(FAR));
        assertTrue(pauses.pause("maintenance", "bob", OptionalLong.empty()));
        assertFalse(latest().isRestore());
    }

    @Test
    void a_pause_lasts_until_somebody_resumes() {
        assertTrue(pauses.pause("night", "bob", OptionalLong.empty()));
        assertEquals("night", latest().reason());
        assertEquals("bob", latest().by());
        assertTrue(latest().isOpenAt(FAR));
        assertTrue(pauses.resume());
        assertFalse(latest().isOpenAt(latest().untilMillis()));
        assertFalse(pauses.resume(), "there is none any more");
    }

    @Test
    void a_second_pause_gives_the_first_another_reason_and_end() {
        pauses.pause("night", "bob", OptionalLong.empty());
        long since = latest().fromMillis();
        assertFalse(pauses.pause("move", "eve", OptionalLong.of(FAR)), "it is not a new one");
        assertEquals(new Pause(since, FAR, "move", "eve", false, null), latest());
        assertEquals(1, pauses.latest().size());
    }

    @Test
    void a_pause_whose_end_has_come_needs_nobody_and_leaves_room_for_the_next() {
        pauses.pause("night", "bob", OptionalLong.of(FAR));
        letTheEndPass();
        long end = latest().untilMillis();
        assertTrue(latest().isOpenAt(end - 1));
        assertFalse(latest().isOpenAt(end));
        assertFalse(pauses.resume(), "it is over");
        assertEquals(end, latest().untilMillis());
        assertTrue(pauses.pause("again", "bob", OptionalLong.empty()));
        assertEquals(2, pauses.latest().size());
        assertEquals(end, pauses.latest().get(1).untilMillis());
    }
}
