package io.twinbell.lab.fault;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.junit.jupiter.api.Test;

class RejoinCheckTest {
    @Test
    void a_master_that_goes_on_is_a_standby_within_two_seconds_and_stands_in_the_election_within_seven() {
        assertEquals(List.of(), new RejoinCheck(2000, 7000).complaints("a"));
    }

    @Test
    void one_that_believes_for_longer_that_it_is_master_is_late() {
        assertEquals(
                List.of("node a was a standby again only after 2001 ms"), new RejoinCheck(2001, 7000).complaints("a"));
    }

    @Test
    void one_that_does_not_stand_again_could_not_take_over() {
        assertEquals(
                List.of("node a took part in the election again only after 7001 ms"),
                new RejoinCheck(100, 7001).complaints("a"));
    }
}
