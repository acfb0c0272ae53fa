package io.twinbell.ha.takeover;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.twinbell.ha.role.Role;
import io.twinbell.persistence.epoch.Epoch;
import io.twinbell.persistence.takeover.OwnerLocation;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A master that holds the lock, and says where it can be found. */
class MasterLockKeeperTest {
    private static final String RECORD = "record ZooKeeper session 0x58 backend 4242";

    private final TakeoverScene b = new TakeoverScene();

    @BeforeEach
    void isMaster() {
        b.role = Role.MASTER;
        b.epoch = new Epoch(5, UUID.randomUUID(), "b", 0);
        b.isLockFree = true;
    }

    @Test
    void a_new_master_takes_the_lock_and_records_where_it_is_once() {
        assertEquals(List.of("wait PT1S", RECORD), b.step());
        assertTrue(b.takeover.isLockHeld());
        assertEquals(Optional.empty(), b.takeover.obstacle());
        assertEquals(List.of(), b.step());
    }

    @Test
    void a_lock_that_was_lost_is_taken_again_and_the_new_session_recorded() {
        b.step();
        b.isDatabaseDown = true;
        b.step();
        assertFalse(b.takeover.isLockHeld());
        b.isDatabaseDown = false;
        b.backend = 4343;
        assertEquals(List.of("wait PT1S", "record ZooKeeper session 0x58 backend 4343"), b.step());
        assertTrue(b.takeover.isLockHeld());
    }

    @Test
    void a_new_epoch_is_recorded_anew() {
        b.step();
        b.epoch = new Epoch(9, UUID.randomUUID(), "b", 0);
        assertEquals(List.of(RECORD), b.step());
    }

    @Test
    void without_a_place_in_the_election_there_is_nothing_to_record() {
        b.standsInElection = false;
        b.step();
        assertTrue(b.takeover.obstacle().orElseThrow().contains("takes no part in the election"));
        b.standsInElection = true;
        assertEquals(List.of(RECORD), b.step());
    }

    @Test
    void a_superseded_master_is_not_armed() {
        b.isSuperseded = true;
        b.step();
        assertEquals(Optional.of("the epoch of this node has ended"), b.takeover.obstacle());
        assertEquals(List.of(RECORD), b.step(), "it is not taken for recorded");
    }

    @Test
    void a_session_that_will_not_let_go_of_the_lock_is_ended_after_three_slices() {
        b.isLockFree = false;
        assertEquals(List.of("wait PT1S"), b.step(), "a standby may be looking into something");
        assertEquals(Optional.of("another session holds the master's database lock"), b.takeover.obstacle());
        assertEquals(List.of("wait PT1S"), b.step());
        assertEquals(List.of("wait PT1S", "evict"), b.step());
        assertEquals(List.of("wait PT1S", RECORD), b.step());
    }

    @Test
    void a_stranger_that_has_the_lock_is_named_and_left_alone() {
        b.isLockFree = false;
        b.stranger = Optional.of("billing (process 7)");
        b.step();
        b.step();
        b.step();
        assertEquals(Optional.of("the master's database lock is held by billing (process 7)"), b.takeover.obstacle());
    }

    @Test
    void a_standby_that_became_master_keeps_the_lock_that_it_has() {
        b.role = Role.STANDBY;
        b.isLockFree = false;
        b.watching().masterDies();
        b.step();
        b.step();
        b.role = Role.PROMOTING;
        assertEquals(List.of(), b.step());
        b.role = Role.MASTER;
        assertEquals(List.of("take back", RECORD), b.step());
        assertNull(b.loss);
    }

    @Test
    void a_master_that_steps_down_keeps_the_lock_until_it_is_no_longer_on_record_as_the_owner() {
        b.step();
        b.role = Role.DEMOTING;
        b.epoch = null;
        b.owner = Optional.of(
                new OwnerLocation(5, "b", TakeoverScene.SELF, "http://b:1", TakeoverScene.SESSION_OF_A, 4242));
        assertEquals(List.of(), b.step());
        b.owner = Optional.empty();
        assertEquals(List.of("release"), b.step());
        assertFalse(b.takeover.isLockHeld());
    }

    @Test
    void a_master_that_was_fenced_lets_go_of_the_lock() {
        b.step();
        b.role = Role.STANDBY;
        b.epoch = null;
        b.isLockFree = false;
        assertEquals(List.of("release", "wait PT1S"), b.step());
    }

    @Test
    void a_node_that_has_not_joined_asks_the_database_nothing() {
        b.role = Role.STOPPED;
        b.isDatabaseDown = true;
        assertEquals(List.of(), b.step());
        assertEquals(Optional.of("the node is neither master nor standby"), b.takeover.obstacle());
    }
}
