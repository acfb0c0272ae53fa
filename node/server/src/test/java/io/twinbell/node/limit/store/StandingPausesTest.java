package io.twinbell.node.limit.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.twinbell.node.limit.store.StandingPauses.SetResult;
import io.twinbell.persistence.cluster.Pause;
import io.twinbell.persistence.database.DedicatedConnection;
import io.twinbell.persistence.testing.TestPostgres;
import io.twinbell.persistence.testing.TestSettings;
import io.twinbell.persistence.testing.TestTasks;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.OptionalLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.postgresql.PGConnection;
import org.postgresql.PGNotification;
import org.postgresql.ds.PGSimpleDataSource;

class StandingPausesTest {
    private static final long FAR = 4_102_444_800_000L;

    private final PGSimpleDataSource database = TestPostgres.freshDatabase();
    private final TestTasks sql = new TestTasks(database);
    private final DedicatedConnection connection =
            new DedicatedConnection(TestSettings.of(database, "a"), "cluster", 5);
    private final StandingPauses pauses = new StandingPauses(database);

    @AfterEach
    void close() {
        connection.close();
    }

    private SetResult set(String key, String reason) {
        return pauses.set(key, reason, "bob", OptionalLong.empty());
    }

    private List<Pause> all() {
        return new FiringPauses(connection).withStanding();
    }

    @Test
    void a_pause_lasts_until_it_is_ended_and_is_remembered() {
        assertEquals(SetResult.CREATED, set("app:shop", "stocktaking"));
        long since = pauses.open().get(0).fromMillis();
        assertEquals(SetResult.CHANGED, pauses.set("app:shop", "audit", "ann", OptionalLong.of(FAR)));
        assertEquals(List.of(new Pause(since, FAR, "audit", "ann", false, "app:shop")), pauses.open());
        assertTrue(pauses.end("app:shop"));
        assertFalse(pauses.end("app:shop"));
        assertEquals(List.of(), pauses.open());
        Pause ended = all().get(0);
        assertTrue(ended.covers(since));
        assertFalse(ended.isOpenAt(FAR));
        assertEquals(SetResult.CREATED, set("app:shop", "again"));
    }

    /** How many times the nodes were woken; a round trip makes sure that all of them have arrived. */
    private static int woken(Connection listener) throws SQLException {
        listener.createStatement().execute("select 1");
        PGNotification[] arrived = listener.unwrap(PGConnection.class).getNotifications();
        return arrived == null ? 0 : arrived.length;
    }

    @Test
    void the_nodes_are_woken_when_a_pause_begins_changes_and_ends() throws SQLException {
        try (Connection listener = database.getConnection()) {
            listener.createStatement().execute("listen twinbell_epoch");
            set("app:shop", "stocktaking");
            assertEquals(1, woken(listener));
            set("app:shop", "audit");
            assertEquals(1, woken(listener));
            assertTrue(pauses.end("app:shop"));
            assertEquals(1, woken(listener));
        }
    }

    @Test
    void a_pause_that_has_reached_its_end_is_over() {
        set("tag:nightly", "disks");
        sql.execute("update twinbell.standing_pause set paused_at = '2026-01-01', paused_until = '2026-01-02'");
        assertEquals(List.of(), pauses.open());
        assertFalse(pauses.end("tag:nightly"));
        assertEquals(SetResult.CREATED, set("tag:nightly", "more disks"));
        assertEquals(2, all().size());
    }

    @Test
    void a_full_table_takes_no_new_key_but_changes_old_ones() {
        sql.execute("insert into twinbell.standing_pause (key, reason, paused_by)"
                + " select 'app:a' || n, 'r', 'b' from generate_series(1, " + StandingPauses.MAX_OPEN + ") n");
        assertEquals(SetResult.FULL, set("app:shop", "one more"));
        assertEquals(SetResult.CHANGED, set("app:a1", "other"));
    }
}
