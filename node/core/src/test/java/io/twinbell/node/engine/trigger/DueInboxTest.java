package io.twinbell.node.engine.trigger;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.twinbell.node.engine.TestRuns;
import io.twinbell.node.engine.run.AppHash;
import io.twinbell.node.engine.run.AppLoads;
import io.twinbell.node.engine.run.ClaimRoom;
import io.twinbell.node.engine.run.Urgency;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class DueInboxTest {
    private final DueInbox inbox = new DueInbox();

    @Test
    void nothing_is_due_before_the_soonest_however_little_urgent_that_is() {
        assertEquals(Long.MAX_VALUE, inbox.noneBeforeMillis());
        inbox.offer(1, 2000, Urgency.HIGHEST, AppHash.UNKNOWN);
        assertEquals(2000, inbox.noneBeforeMillis());
        inbox.offer(2, 1000, 0, AppHash.UNKNOWN);
        assertEquals(1000, inbox.noneBeforeMillis());
    }

    @Test
    void the_bound_is_forgotten_with_the_last() {
        inbox.offer(1, 1000, Urgency.USUAL, AppHash.UNKNOWN);
        inbox.offer(2, 2000, Urgency.USUAL, AppHash.UNKNOWN);
        inbox.drain(new long[1], new long[1], TestRuns.room(1), new AppLoads());
        assertTrue(inbox.noneBeforeMillis() <= 2000);
        inbox.drain(new long[1], new long[1], TestRuns.room(1), new AppLoads());
        assertEquals(Long.MAX_VALUE, inbox.noneBeforeMillis());
        inbox.offer(3, 3000, Urgency.USUAL, AppHash.UNKNOWN);
        assertEquals(3000, inbox.noneBeforeMillis());
        inbox.clear();
        assertEquals(Long.MAX_VALUE, inbox.noneBeforeMillis());
    }

    private static final int BATCH = 1000;
    private static final short FLOOD = AppHash.of("flood");
    private static final short OTHER = AppHash.of("other");

    private final AppLoads loads = new AppLoads();

    private void offer(short app, int from, int count, long time) {
        for (int id = from; id < from + count; id++) {
            inbox.offer(id, time + id, Urgency.USUAL, app);
        }
    }

    private void holds(short app, int runs) {
        for (int i = 0; i < runs; i++) {
            loads.add(app);
        }
    }

    private List<Long> drain(ClaimRoom room) {
        long[] ids = new long[BATCH];
        int count = inbox.drain(ids, new long[BATCH], room, loads);
        return LongStream.of(ids).limit(count).boxed().toList();
    }

    private static long floods(List<Long> ids) {
        return ids.stream().filter(id -> id < 1000).count();
    }

    @Test
    void with_room_for_all_the_most_urgent_goes_first_whatever_its_app() {
        offer(FLOOD, 1, 2, 2000);
        offer(OTHER, 1001, 2, 500);
        inbox.offer(3, 100, Urgency.USUAL, FLOOD);
        assertEquals(List.of(3L, 1001L, 1002L, 1L, 2L), drain(TestRuns.room(5)));
    }

    @Test
    void where_room_is_short_a_flood_that_is_overdue_does_not_go_before_another_app() {
        offer(FLOOD, 1, 500, 1000);
        offer(OTHER, 1001, 3, 60_000);
        List<Long> batch = drain(TestRuns.room(10));
        assertEquals(10, batch.size());
        assertEquals(7, floods(batch));
        assertEquals(List.of(1L, 2L, 3L, 4L, 5L, 6L, 7L, 1001L, 1002L, 1003L), batch, "the most urgent of it first");
    }

    @Test
    void apps_take_turns_over_many_batches() {
        offer(FLOOD, 1, 500, 1000);
        offer(OTHER, 1001, 500, 60_000);
        holds(OTHER, 1);
        List<Long> taken = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
            inbox.beginBatch();
            taken.addAll(drain(TestRuns.room(1)));
        }
        assertEquals(List.of(1L, 1001L, 2L, 1002L, 3L, 1003L), taken);
    }

    @Test
    void an_app_that_holds_more_than_its_share_goes_after_the_others() {
        holds(FLOOD, 60);
        offer(FLOOD, 1, 500, 1000);
        offer(OTHER, 1001, 500, 1000);
        ClaimRoom room = new ClaimRoom(10, 40, 100, 0);
        assertEquals(0, floods(drain(room)), "its share is 50");
        holds(OTHER, 50);
        inbox.beginBatch();
        assertEquals(5, floods(drain(room)));
    }

    @Test
    void slots_taken_for_the_same_batch_count() {
        offer(FLOOD, 1, 500, 1000);
        offer(OTHER, 1001, 500, 1000);
        inbox.beginBatch();
        List<Long> batch = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
            batch.addAll(drain(TestRuns.room(1)));
        }
        assertEquals(3, floods(batch));
    }

    @Test
    void an_app_gets_a_few_runs_even_if_another_has_filled_what_could_start_soon() {
        holds(FLOOD, 100);
        offer(FLOOD, 1, 500, 1000);
        offer(OTHER, 1001, 500, 60_000);
        assertEquals(List.of(1001L, 1002L, 1003L), drain(new ClaimRoom(0, 50, Integer.MAX_VALUE, 3)));
        inbox.beginBatch();
        assertEquals(2, drain(new ClaimRoom(0, 2, Integer.MAX_VALUE, 3)).size(), "never more than this process holds");
    }

    @Test
    void one_app_alone_does_not_fill_this_process_once_another_is_known() {
        holds(OTHER, 1);
        holds(FLOOD, 6);
        offer(FLOOD, 1, 500, 1000);
        assertEquals(1, drain(new ClaimRoom(3, 3, 7, 0)).size());
    }

    @Test
    void apps_that_were_not_known_are_learned_where_room_is_short() {
        offer(AppHash.UNKNOWN, 1, 20, 1000);
        offer(AppHash.UNKNOWN, 1001, 2, 60_000);
        assertEquals(0, inbox.unknown(TestRuns.room(100)), "there is room for all");
        assertEquals(22, inbox.unknown(TestRuns.room(10)));
        long[] ids = inbox.peekUnknown(100);
        Map<Long, String> apps = new HashMap<>();
        LongStream.of(ids).filter(id -> id != 20).forEach(id -> apps.put(id, id < 1000 ? "flood" : "other"));
        inbox.setApps(ids, apps);
        assertEquals(22, inbox.size(), "a task that is gone is found out by its claim");
        assertEquals(0, inbox.unknown(TestRuns.room(10)));
        assertTrue(drain(TestRuns.room(6)).containsAll(List.of(1001L, 1002L)));
    }

    @Test
    void where_there_is_one_app_nothing_has_to_be_learned() {
        offer(AppHash.UNKNOWN, 1, 20, 1000);
        inbox.setSoleApp("flood");
        offer(AppHash.UNKNOWN, 21, 20, 1000);
        assertEquals(0, inbox.unknown(TestRuns.room(10)));
        assertEquals(40, inbox.size());
        assertEquals(List.of(1L, 2L, 3L), drain(TestRuns.room(3)));
    }
}
