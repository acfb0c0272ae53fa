package io.twinbell.lab.fault;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class DoubleLatchCheckTest {
    private static final long REMOVED = 5000;
    private static final String BEFORE = entry("04.000", "a", "PROMOTING", "MASTER", "b handed over");

    @Test
    void a_master_that_the_new_latch_holder_asks_believed_it_held_the_latch_too() throws Exception {
        DoubleLatchCheck latchCheck = belief(
                true,
                entry("05.030", "a", "MASTER", "DEMOTING", "holds the latch (asked by b)"),
                entry("05.010", "b", "STANDBY", "PROMOTING", "holds the latch"),
                BEFORE);

        assertEquals(new DoubleLatchCheck(true, Optional.of(5010L), Optional.of(5030L)), latchCheck);
        assertEquals(List.of(), latchCheck.complaints("a", "b"));
    }

    @Test
    void one_that_did_not_say_so_may_have_known() throws Exception {
        assertEquals(
                List.of("node a did not report that it holds the latch when it was isolated"),
                belief(
                                false,
                                entry("05.030", "a", "MASTER", "DEMOTING", "holds the latch (asked by b)"),
                                entry("05.010", "b", "STANDBY", "PROMOTING", "holds the latch"))
                        .complaints("a", "b"));
    }

    @Test
    void one_that_stepped_down_before_did_not_believe_it_any_more() throws Exception {
        assertEquals(
                List.of("node a gave up the master role 40 ms before node b held the latch"),
                belief(
                                true,
                                entry("05.060", "b", "STANDBY", "PROMOTING", "holds the latch"),
                                entry("05.020", "a", "MASTER", "DEMOTING", "asked over the API"))
                        .complaints("a", "b"));
    }

    @Test
    void a_state_that_no_node_saw_is_no_belief() throws Exception {
        assertEquals(
                List.of(
                        "node b was not promoted because of the latch",
                        "the history does not show when node a gave up the master role"),
                belief(true, BEFORE).complaints("a", "b"));
    }

    private static DoubleLatchCheck belief(boolean wasSaid, String... history) throws Exception {
        JsonNode entries = new ObjectMapper().readTree("[" + String.join(",", history) + "]");
        return DoubleLatchCheck.of(wasSaid, entries, "a", "b", REMOVED);
    }

    private static String entry(String second, String node, String from, String to, String reason) {
        return "{\"at\":\"1970-01-01T00:00:%sZ\",\"node\":\"%s\",\"from\":\"%s\",\"to\":\"%s\",\"reason\":\"%s\"}"
                .formatted(second, node, from, to, reason);
    }
}
