package io.twinbell.node.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.twinbell.node.engine.run.AppGroup;
import io.twinbell.node.engine.run.Urgency;
import io.twinbell.node.engine.trigger.Burst;
import io.twinbell.node.engine.trigger.DueInbox;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class PreBurstGcTest {
    private static final long INSTANT = StoredTasks.START;
    private static final long NEXT_NANOS = 7;

    private final DueInbox inbox = new DueInbox();
    private final List<Long> wanted = new ArrayList<>();
    private long nowMillis = INSTANT - PreBurstGc.AHEAD.toMillis();
    private int queued;
    private final Burst burst = new Burst(() -> queued);
    private int held;
    private boolean isFull = true;
    private final PreBurstGc room =
            new PreBurstGc(() -> NEXT_NANOS, inbox, burst, () -> nowMillis, () -> held, this::makeRoom);

    private boolean makeRoom(long bytes) {
        wanted.add(bytes);
        return isFull;
    }

    private void send(int tasks) {
        for (int id = 1; id <= tasks; id++) {
            inbox.offer(id, INSTANT, Urgency.USUAL, AppGroup.UNKNOWN);
        }
    }

    @Test
    void a_crowd_has_room_before_it_is_claimed() {
        send(PreBurstGc.MIN_BURST);
        assertEquals(NEXT_NANOS, room.step());
        assertEquals(List.of(PreBurstGc.MIN_BURST * PreBurstGc.BYTES_PER_SLOT), wanted);
    }

    @Test
    void claimed_slots_of_the_same_task_need_as_much() {
        held = 3;
        send(PreBurstGc.MIN_BURST);
        room.step();
        assertEquals(List.of((PreBurstGc.MIN_BURST + 3) * PreBurstGc.BYTES_PER_SLOT), wanted);
    }

    @Test
    void a_crowd_that_comes_little_by_little_is_looked_at_again() {
        isFull = false;
        send(PreBurstGc.MIN_BURST);
        room.step();
        isFull = true;
        send(PreBurstGc.MIN_BURST + 1);
        room.step();
        assertEquals(2, wanted.size());
    }

    @Test
    void where_that_was_of_no_use_it_is_not_done_again_at_once() {
        nowMillis -= PreBurstGc.PAUSE.toMillis();
        send(PreBurstGc.MIN_BURST);
        room.step();
        nowMillis += PreBurstGc.PAUSE.toMillis() - 1;
        room.step();
        assertEquals(1, wanted.size());
        nowMillis++;
        room.step();
        assertEquals(2, wanted.size());
    }

    @Test
    void while_another_crowd_starts_nothing_is_collected() {
        burst.is(Burst.Stage.READY);
        send(PreBurstGc.MIN_BURST);
        assertEquals(NEXT_NANOS, room.step());
        assertEquals(List.of(), wanted);
        burst.is(Burst.Stage.STARTED);
        room.step();
        assertEquals(1, wanted.size());
    }

    @Test
    void few_need_none() {
        send(PreBurstGc.MIN_BURST - 1);
        assertEquals(NEXT_NANOS, room.step());
        assertEquals(List.of(), wanted);
    }

    @Test
    void a_slot_about_to_start_is_claimed_at_once() {
        nowMillis++;
        send(PreBurstGc.MIN_BURST);
        assertEquals(NEXT_NANOS, room.step());
        assertEquals(List.of(), wanted);
    }
}
