package io.twinbell.lab.fault.database;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.twinbell.lab.fault.database.ExhaustPool.PoolObservation;
import java.util.List;
import org.junit.jupiter.api.Test;

class ExhaustPoolTest {
    @Test
    void a_node_that_beats_and_answers_while_its_pool_is_exhausted_does_as_it_should() {
        assertEquals(List.of(), new PoolObservation(10, 9, 3, 0, 3900).complaints("a"));
    }

    @Test
    void a_pool_that_had_room_was_not_drilled() {
        assertEquals(
                List.of("the pool of node a was exhausted at 4 of 10 looks, so the fault missed its target"),
                new PoolObservation(10, 4, 3, 0, 3000).complaints("a"));
        assertEquals(List.of(), new PoolObservation(10, 5, 0, 0, 3000).complaints("a"));
    }

    @Test
    void a_heartbeat_that_waited_and_a_node_that_was_silent_are_told() {
        assertEquals(
                List.of("node a did not report its state in 1 of 10 looks", "the heartbeat of node a was 4001 ms old"),
                new PoolObservation(10, 10, 3, 1, 4001).complaints("a"));
    }

    @Test
    void a_master_that_was_killed_is_dead_and_not_lost() throws Exception {
        JsonNode history = new ObjectMapper().readTree("""
                [{"node":"a","to":"STANDBY","reason":"started"},
                 {"node":"b","to":"MASTER","reason":"a is lost: it neither answers nor uses the database"},
                 {"node":"b","to":"PROMOTING","reason":"holds the latch"},
                 {"node":"b","to":"MASTER","reason":"a is dead"}]""");

        assertFalse(ExhaustPool.isProven(ExhaustPool.reason(history, "b"), "a"));
        assertTrue(ExhaustPool.isProven("a is dead; automatic takeover was on hold until now", "a"));
        assertEquals("the history names no reason", ExhaustPool.reason(history, "c"));
    }

    @Test
    void the_oldest_heartbeat_of_all_looks_counts() {
        assertEquals(
                new PoolObservation(2, 1, 1, 1, 3500),
                new PoolObservation(1, 1, 0, 0, 3500).and(new PoolObservation(1, 0, 1, 1, 20)));
    }
}
