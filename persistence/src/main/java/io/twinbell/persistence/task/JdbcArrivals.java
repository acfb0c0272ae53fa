package io.twinbell.persistence.task;

import io.twinbell.persistence.database.DedicatedConnection;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/** Arrivals in PostgreSQL; {@code V22__lists.sql} has the functions that leave them. */
public final class JdbcArrivals implements Arrivals {
    /** Many come at once, and what else their receiver looks after with each step takes longer than a page. */
    private static final int PAGES = 5;

    private static final String NEXT =
            "select task_id from twinbell.arrival where task_id > ? order by task_id limit ?";

    /**
     * The arrival is locked too: a replacement that was committed since the statement began is then seen, or its row is left
     * for the next pass. The ids are named for each table: however small they were when this was planned, none of them is
     * read through.
     */
    private static final String ARRIVED = JdbcTaskStore.SELECT + ", twinbell.millis(a.at) as at_millis, a.replacement"
            + JdbcTaskStore.FROM + " join twinbell.arrival a on a.task_id = t.id"
            + " where t.id = any(?) and s.task_id = any(?) and a.task_id = any(?)"
            + " order by t.id for update skip locked";

    private static final String REMOVED = """
            with taken as (
              delete from twinbell.removal where id in (
                select id from twinbell.removal order by id limit ? for update skip locked)
              returning *
            )
            select task_id, 1, app, name, null, '{}'::text[], handler_type, null, definition, state, state_reason,
                   twinbell.millis(next_fire_time), twinbell.millis(previous_fire_time), twinbell.millis(removed_at),
                   twinbell.millis(removed_at) as removed_millis, paused_by, twinbell.millis(paused_until),
                   0, false, twinbell.millis(arrived_at) as arrived_millis
            from taken order by id""";

    private final DedicatedConnection connection;

    public JdbcArrivals(DedicatedConnection connection) {
        this.connection = connection;
    }

    @Override
    public int receive(int limit, Reception reception) {
        Page page = new Page(limit, 0);
        for (int i = 0; i < PAGES && page.received() >= limit; i++) {
            page = receivePage(limit, page.lastId(), reception);
        }
        return page.received();
    }

    /** @param lastId up to where was looked; before it are those that somebody holds, and what the server has yet to forget */
    private record Page(int received, long lastId) {}

    private Page receivePage(int limit, long afterId, Reception reception) {
        return connection.transaction(c -> {
            List<Arrival> arrived = new ArrayList<>();
            long lastId = arrived(c, afterId, limit, arrived);
            List<Removal> removed = removed(c, limit);
            TaskWrites writes = new TaskWrites();
            arrived.forEach(arrival -> writes.add(arrival.task(), reception.arrived(arrival), arrival.atMillis()));
            removed.forEach(removal -> writes.add(
                    removal.task(), new TaskChange.Remove(reception.removed(removal)), removal.removedMillis()));
            writes.perform(c);
            ofThese(c, arrived, TaskInsert.HAS_FIRED_BEFORE);
            ofThese(c, arrived, "delete from twinbell.arrival where task_id = any(?::bigint[])");
            return new Page(arrived.size() + removed.size(), lastId);
        });
    }

    /** However many are held by somebody, they do not keep the others waiting. Returns up to where it has looked. */
    private static long arrived(Connection c, long afterId, int limit, List<Arrival> to) throws SQLException {
        long lastId = afterId;
        List<Long> ids = next(c, lastId, limit);
        while (!ids.isEmpty()) {
            lastId = ids.get(ids.size() - 1);
            to.addAll(arrived(c, ids));
            int room = limit - to.size();
            ids = room == 0 ? List.of() : next(c, lastId, room);
        }
        return lastId;
    }

    private static List<Long> next(Connection c, long afterId, int limit) throws SQLException {
        try (PreparedStatement statement = c.prepareStatement(NEXT)) {
            statement.setLong(1, afterId);
            statement.setInt(2, limit);
            List<Long> ids = new ArrayList<>();
            try (ResultSet rows = statement.executeQuery()) {
                while (rows.next()) {
                    ids.add(rows.getLong(1));
                }
            }
            return ids;
        }
    }

    private static List<Arrival> arrived(Connection c, List<Long> ids) throws SQLException {
        try (PreparedStatement statement = c.prepareStatement(ARRIVED)) {
            for (int parameter = 1; parameter <= 3; parameter++) {
                statement.setArray(parameter, c.createArrayOf("bigint", ids.toArray()));
            }
            List<Arrival> arrived = new ArrayList<>();
            try (ResultSet rows = statement.executeQuery()) {
                while (rows.next()) {
                    arrived.add(
                            new Arrival(TaskRow.read(rows), rows.getLong("at_millis"), rows.getString("replacement")));
                }
            }
            return arrived;
        }
    }

    private static List<Removal> removed(Connection c, int limit) throws SQLException {
        try (PreparedStatement statement = c.prepareStatement(REMOVED)) {
            statement.setInt(1, limit);
            List<Removal> removed = new ArrayList<>();
            try (ResultSet rows = statement.executeQuery()) {
                while (rows.next()) {
                    removed.add(new Removal(
                            TaskRow.read(rows),
                            TaskRow.optional(rows, rows.findColumn("arrived_millis")),
                            rows.getLong("removed_millis")));
                }
            }
            return removed;
        }
    }

    private static void ofThese(Connection c, List<Arrival> arrived, String sql) throws SQLException {
        if (arrived.isEmpty()) {
            return;
        }
        try (PreparedStatement statement = c.prepareStatement(sql)) {
            statement.setArray(
                    1,
                    c.createArrayOf(
                            "bigint",
                            arrived.stream().map(arrival -> arrival.task().id()).toArray()));
            statement.executeUpdate();
        }
    }
}
