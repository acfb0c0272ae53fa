package io.twinbell.ha.takeover;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.twinbell.ha.latch.LatchSessions.EndResult;
import io.twinbell.ha.role.Role;
import io.twinbell.persistence.takeover.OwnerLocation;
import io.twinbell.persistence.takeover.OwnerSessions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** A standby that waits for the master's lock: when it waits, how it judges the master, and what it does then. */
class MasterWatchTest {
    private static final List<String> TAKES_OVER_FROM_THE_DEAD =
            List.of("owner is dead", "end ZooKeeper session 0x4d", "enter DEAD of epoch 4 by b");

    private final TakeoverScene b = new TakeoverScene();

    private String obstacle() {
        return b.takeover.obstacle().orElse("none");
    }

    @Test
    void a_standby_waits_for_the_lock_in_slices_of_a_second_and_does_nothing_else() {
        assertEquals(List.of("wait PT1S"), b.step());
        assertEquals(List.of("wait PT1S"), b.step());
        assertEquals(Optional.empty(), b.takeover.obstacle());
        assertFalse(b.takeover.isLockHeld());
    }

    @Test
    void a_dead_masters_session_is_ended_and_everybody_knows_since_when_it_is_dead() {
        b.watching().masterDies();
        assertEquals(List.of("wait PT1S"), b.step());
        assertEquals(TAKES_OVER_FROM_THE_DEAD, b.step());
        assertTrue(b.loss.isProven());
        assertEquals(4, b.loss.epoch());
        assertEquals(TakeoverScene.FREE_SINCE, b.loss.atMillis());
        assertEquals(List.of(OwnerVerdict.DEAD), b.verdicts);
        assertTrue(b.takeover.isLockHeld(), "it goes on as the master's");
    }

    @Test
    void a_dead_masters_session_is_ended_again_until_the_epoch_has_passed_on() {
        b.watching().masterDies();
        b.endResult = EndResult.NOT_ANSWERED;
        b.step();
        b.step();
        for (int i = 0; i < 40; i++) {
            assertEquals(List.of("end ZooKeeper session 0x4d"), b.step(), "ZooKeeper may be down for long");
            b.ticker.pass(MasterWatch.TRY_AGAIN);
        }
        b.knownEpoch = 5;
        assertEquals(List.of("take back", "release"), b.step());
    }

    @Test
    void a_living_master_is_let_have_its_lock_again_and_left_alone_for_longer_each_time() {
        b.watching();
        List<Duration> rests = new ArrayList<>();
        for (int i = 0; i < 7; i++) {
            b.masterLosesTheLock();
            b.step();
            assertEquals(List.of("release"), b.step());
            assertNull(b.loss);
            assertTrue(obstacle().contains("was released but the master is alive"), obstacle());
            b.isLockFree = false;
            b.isMasterHolding = true;
            rests.add(b.stepAndSleep());
            b.step();
            assertEquals("none", obstacle(), "it is watched again");
        }
        assertEquals(
                List.of(2, 4, 8, 16, 32, 60, 60),
                rests.stream().map(rest -> (int) rest.toSeconds()).toList());
        assertEquals(7, b.verdicts.stream().filter(OwnerVerdict.ALIVE::equals).count());
        b.ticker.pass(Duration.ofMinutes(3));
        b.masterLosesTheLock();
        b.step();
        b.step();
        assertEquals(Duration.ofSeconds(2), b.stepAndSleep(), "that was long ago");
    }

    @Test
    void a_lost_masters_session_is_ended_but_nobody_calls_it_dead() {
        b.watching().masterIsLost();
        b.step();
        assertEquals(List.of("enter LOST of epoch 4 by b", "owner is lost", "end ZooKeeper session 0x4d"), b.step());
        assertFalse(b.loss.isProven());
        assertEquals(List.of(OwnerVerdict.LOST), b.verdicts);
    }

    @Test
    void a_host_that_says_nothing_to_anybody_is_lost_before_the_server_lets_go_of_its_lock() {
        b.watching().hostVanishes();
        assertEquals(List.of("enter LOST of epoch 4 by b", "owner is lost", "end ZooKeeper session 0x4d"), b.step());
        assertFalse(b.loss.isProven());
        assertEquals(List.of(OwnerVerdict.LOST), b.verdicts);
        assertFalse(b.takeover.isLockHeld());
        b.knownEpoch = 5;
        assertEquals(List.of("take back"), b.step());
    }

    @Test
    void a_host_that_is_silent_for_less_is_waited_for() {
        b.watching().hostVanishes();
        b.hostSilence = HostLoss.SILENT.minusMillis(1);
        assertEquals(List.of("wait PT0.025S"), b.step().stream().distinct().toList());
        assertEquals(List.of(), b.verdicts);
    }

    @Test
    void a_host_that_is_silent_to_the_standby_alone_is_not_lost() {
        b.watching().hostVanishes();
        b.sessions = new OwnerSessions(12, TakeoverScene.SEEN - HostLoss.SILENT.toMillis() + 1, TakeoverScene.SEEN);
        assertEquals(List.of("wait PT0.025S"), b.step().stream().distinct().toList());
        assertEquals(List.of(), b.verdicts);
        assertNull(b.loss);
    }

    @Test
    void a_silent_host_whose_sessions_nobody_may_see_is_not_lost() {
        b.watching().hostVanishes();
        b.sessions = new OwnerSessions(12, 0, TakeoverScene.SEEN);
        b.step();
        assertEquals(List.of(), b.verdicts);
    }

    @Test
    void a_silent_host_whose_master_has_just_handed_over_is_left_alone() {
        b.watching().hostVanishes();
        Optional<OwnerLocation> owner = b.owner;
        b.ownerAfterLooks(1, Optional.of(TakeoverScene.whereabouts(2)));
        b.step();
        assertEquals(List.of(), b.verdicts, "another session than " + owner + " is on record");
    }

    @Test
    void a_lost_host_counts_as_a_lost_master_three_times_and_not_on_hold() {
        b.watching().hostVanishes();
        b.takeoversOfLost = 3;
        assertEquals(List.of(), b.step());
        assertTrue(obstacle().contains("ZooKeeper alone decides"), obstacle());
        b.takeoversOfLost = 0;
        b.isOnHold = true;
        b.answer = Probe.Answer.SAME;
        b.ticker.pass(Duration.ofMinutes(5));
        b.watching().hostVanishes();
        assertEquals(List.of(), b.step());
        assertTrue(obstacle().contains("on hold"), obstacle());
        assertNull(b.loss);
    }

    @Test
    void a_connection_that_broke_makes_the_silence_of_the_host_begin_anew() {
        b.watching().hostVanishes();
        b.isDatabaseDown = true;
        b.step();
        assertEquals(Duration.ZERO, b.hostSilence);
    }

    @Test
    void a_master_whose_port_is_silent_but_that_uses_the_database_is_alive() {
        b.watching().masterIsLost();
        b.step();
        b.sessions = new OwnerSessions(12, TakeoverScene.FREE_SINCE + 400, TakeoverScene.SEEN);
        assertEquals(List.of("release"), b.step());
        assertEquals(List.of(OwnerVerdict.ALIVE), b.verdicts);
    }

    @Test
    void a_master_that_a_firewall_hides_is_not_dead() {
        b.watching().masterDies();
        b.sessions = new OwnerSessions(12, TakeoverScene.FREE_SINCE - 10, TakeoverScene.SEEN);
        b.step();
        assertEquals(List.of(), b.step(), "its sessions may end yet");
        b.sessions = new OwnerSessions(12, TakeoverScene.FREE_SINCE + 500, TakeoverScene.SEEN);
        b.ticker.pass(MasterWatch.JUDGED_WITHIN);
        assertEquals(List.of("release"), b.step());
    }

    @Test
    void the_last_sessions_of_a_dead_master_are_waited_for() {
        b.watching().masterDies();
        b.sessions = new OwnerSessions(1, TakeoverScene.FREE_SINCE + 5, TakeoverScene.SEEN);
        b.step();
        assertEquals(MasterWatch.LOOK_AGAIN, b.stepAndSleep());
        assertEquals(List.of(), b.verdicts);
        b.sessions = new OwnerSessions(0, 0, TakeoverScene.SEEN);
        assertEquals(TAKES_OVER_FROM_THE_DEAD, b.step());
    }

    @Test
    void a_lost_master_that_keeps_the_latch_for_two_seconds_is_left_to_zookeeper() {
        b.watching().masterIsLost();
        b.endResult = EndResult.NOT_ANSWERED;
        b.step();
        b.step();
        b.ticker.pass(MasterWatch.LATCH_WITHIN.minusMillis(1));
        assertEquals(List.of("end ZooKeeper session 0x4d"), b.step());
        b.ticker.pass(Duration.ofMillis(1));
        assertEquals(List.of("end ZooKeeper session 0x4d", "take back", "release"), b.step());
        assertNull(b.loss);
        assertEquals(Duration.ofSeconds(2), b.stepAndSleep());
    }

    @Test
    void masters_are_taken_for_lost_three_times_in_ten_minutes_at_most() {
        b.watching().masterIsLost();
        b.takeoversOfLost = 3;
        b.step();
        assertEquals(List.of("release"), b.step());
        assertNull(b.loss);
        assertEquals(List.of(OwnerVerdict.LOST), b.verdicts, "it is counted all the same");
    }

    @Test
    void a_master_that_is_proven_dead_is_taken_over_from_however_often() {
        b.watching().masterDies();
        b.takeoversOfLost = 3;
        b.step();
        assertEquals(TAKES_OVER_FROM_THE_DEAD, b.step());
    }

    @Test
    void while_takeovers_are_on_hold_a_lost_masters_session_is_left_alone() {
        b.watching().masterIsLost();
        b.isOnHold = true;
        b.step();
        assertEquals(List.of("release"), b.step());
        assertNull(b.loss);
    }

    @Test
    void while_takeovers_are_on_hold_a_dead_masters_session_is_ended_all_the_same() {
        b.watching().masterDies();
        b.isOnHold = true;
        b.step();
        assertEquals(TAKES_OVER_FROM_THE_DEAD, b.step());
    }

    @Test
    void a_master_that_hands_over_lets_go_of_its_lock_and_is_looked_into_by_nobody() {
        b.watching().isLockFree = true;
        b.step();
        b.owner = Optional.empty();
        assertEquals(List.of("release"), b.step());
        assertEquals(List.of(), b.verdicts);
    }

    @Test
    void one_that_has_resigned_and_could_not_leave_the_latch_is_helped_out_of_it() {
        b.watching().owner = Optional.empty();
        b.resigned = Optional.of(TakeoverScene.whereabouts(1));
        assertEquals(List.of(), b.step(), "it may be on its way");
        assertEquals(List.of("end ZooKeeper session 0x4d"), b.step());
        assertEquals(List.of("end ZooKeeper session 0x4d"), b.step(), "and again while nobody follows");
        assertNull(b.loss, "nobody died");
    }

    @Test
    void each_that_resigns_has_time_to_leave() {
        b.watching().owner = Optional.empty();
        b.resigned = Optional.of(TakeoverScene.whereabouts(1));
        b.step();
        b.owner = Optional.of(TakeoverScene.whereabouts(2));
        b.step();
        b.owner = Optional.empty();
        b.resigned = Optional.of(TakeoverScene.whereabouts(2));
        assertEquals(List.of(), b.step());
    }

    @Test
    void a_node_that_resigned_keeps_its_session() {
        b.owner = Optional.empty();
        b.resigned =
                Optional.of(new OwnerLocation(4, "b", TakeoverScene.SELF, "http://b:1", TakeoverScene.SESSION_OF_A, 1));
        b.step();
        assertEquals(List.of(), b.step());
    }

    @Test
    void a_draining_node_watches_its_successor() {
        b.role = Role.DEMOTING;
        b.watching().masterDies();
        assertEquals(List.of("wait PT1S"), b.step());
        assertEquals(TAKES_OVER_FROM_THE_DEAD, b.step());
    }

    @Test
    void a_master_without_an_api_is_not_waited_for_not_even_by_its_own_node() {
        for (String node : List.of("a", "b")) {
            b.owner = Optional.of(new OwnerLocation(4, node, TakeoverScene.MASTER, "", TakeoverScene.SESSION_OF_A, 1));
            b.step();
            assertTrue(obstacle().contains("master " + node + " has no API"), obstacle());
        }
    }

    @Test
    void a_master_that_was_never_seen_to_answer_is_not_waited_for() {
        b.answer = Probe.Answer.ANOTHER;
        assertEquals(List.of(), b.step(), "this address leads to somebody else, though the master lives");
        assertTrue(obstacle().contains("does not answer standby b at http://a:1"), obstacle());
        b.answer = Probe.Answer.SAME;
        assertEquals(List.of("wait PT1S"), b.step());
    }

    @Test
    void a_restarted_node_ends_the_session_that_its_predecessor_left_behind() {
        b.owner = Optional.of(
                new OwnerLocation(4, "b", TakeoverScene.MASTER, "http://b:1", TakeoverScene.SESSION_OF_A, 1));
        b.masterDies();
        b.answer = Probe.Answer.ANOTHER;
        assertEquals(List.of("wait PT1S"), b.step());
        assertEquals(TAKES_OVER_FROM_THE_DEAD, b.step());
    }

    @Test
    void a_node_that_was_restarted_at_another_address_knows_no_more_of_its_predecessor_than_anybody() {
        b.owner = Optional.of(
                new OwnerLocation(4, "b", TakeoverScene.MASTER, "http://b:2", TakeoverScene.SESSION_OF_A, 1));
        b.masterDies();
        assertEquals(List.of(), b.step());
        assertTrue(obstacle().contains("does not answer"), obstacle());
    }

    @Test
    void a_master_whose_sessions_may_not_be_seen_is_not_waited_for() {
        b.sessions = new OwnerSessions(12, 0, TakeoverScene.SEEN);
        assertEquals(List.of(), b.step());
        assertTrue(obstacle().contains("has no permission to see the database sessions"), obstacle());
    }

    @Test
    void a_lock_that_the_master_does_not_hold_is_not_waited_for() {
        b.isMasterHolding = false;
        assertEquals(List.of(), b.step());
        assertTrue(obstacle().contains("does not hold its database lock"), obstacle());
    }

    @Test
    void a_lock_that_the_master_has_taken_in_a_new_session_is_looked_at_anew() {
        b.watching().owner = Optional.of(TakeoverScene.whereabouts(2));
        b.answer = Probe.Answer.NONE;
        assertEquals(List.of(), b.step());
        assertTrue(obstacle().contains("does not answer"), obstacle());
    }

    @Test
    void a_master_that_is_seen_healthy_once_is_waited_for_though_it_hangs() {
        b.watching().answer = Probe.Answer.NONE;
        assertEquals(List.of("wait PT1S"), b.step());
        assertEquals(List.of("wait PT1S"), b.step(), "a hung master keeps its lock: ZooKeeper decides");
        assertEquals(List.of(), b.verdicts);
    }

    @Test
    void a_node_outside_the_election_waits_for_no_lock() {
        b.watching().standsInElection = false;
        assertEquals(List.of(), b.step());
        assertTrue(obstacle().contains("does not take part in the election"), obstacle());
    }

    @Test
    void a_node_that_leaves_the_pair_says_so_and_logs_no_obstacle() {
        b.watching().standsInElection = false;
        b.isLeaving = true;
        assertEquals(List.of(), linesOf(() -> assertEquals(List.of(), b.step())));
        assertEquals("node b is leaving the pair", obstacle());

        b.isLeaving = false;
        assertEquals(List.of("fast takeover is off: standby b does not take part in the election"), linesOf(b::step));
    }

    @Test
    void a_database_that_fails_at_every_other_use_does_not_fill_the_log() {
        b.watching();
        assertEquals(List.of(), linesOf(() -> {
            for (int use = 0; use < 10; use++) {
                b.isDatabaseDown = use % 2 == 0;
                b.ticker.pass(MasterWatch.MASTER_FIRST);
                b.step();
            }
        }));
        assertEquals("none", obstacle());
    }

    /** What the action logs for operators. */
    private static List<String> linesOf(Runnable action) {
        Logger log = (Logger) LoggerFactory.getLogger(FastTakeoverStatus.class);
        ListAppender<ILoggingEvent> lines = new ListAppender<>();
        lines.start();
        log.setLevel(Level.INFO);
        log.addAppender(lines);
        try {
            action.run();
        } finally {
            log.detachAppender(lines);
        }
        return lines.list.stream()
                .filter(line -> line.getLevel().isGreaterOrEqual(Level.INFO))
                .map(ILoggingEvent::getFormattedMessage)
                .toList();
    }

    @Test
    void a_cluster_without_a_master_on_record_is_said_so() {
        b.owner = Optional.empty();
        assertEquals(List.of(), b.step());
        assertEquals("no master with a database lock is recorded", obstacle());
    }

    @Test
    void a_connection_that_broke_lets_the_master_have_the_lock_first() {
        b.watching();
        b.isDatabaseDown = true;
        b.step();
        assertEquals("the database refuses connections", obstacle());
        b.isDatabaseDown = false;
        b.masterLosesTheLock();
        assertEquals(List.of(), b.step(), "the server was restarted, and whoever comes first would have it");
        b.ticker.pass(MasterWatch.MASTER_FIRST);
        b.isLockFree = false;
        b.isMasterHolding = true;
        assertEquals(List.of("wait PT1S"), b.step());
        assertEquals(List.of(), b.verdicts);
    }

    @Test
    void a_connection_that_breaks_while_it_is_looked_into_ends_the_matter() {
        b.watching().masterDies();
        b.step();
        b.isDatabaseDown = true;
        assertEquals(List.of(), b.step());
        b.isDatabaseDown = false;
        assertEquals(List.of(), b.step());
        assertNull(b.loss);
    }

    @Test
    void that_a_master_is_dead_stays_true_when_the_connection_breaks() {
        b.watching().masterDies();
        b.endResult = EndResult.NOT_ANSWERED;
        b.step();
        b.step();
        b.isDatabaseDown = true;
        b.step();
        b.isDatabaseDown = false;
        assertEquals(List.of("end ZooKeeper session 0x4d"), b.step());
        assertTrue(b.loss.isProven());
    }

    @Test
    void that_a_master_is_lost_does_not() {
        b.watching().masterIsLost();
        b.endResult = EndResult.NOT_ANSWERED;
        b.step();
        b.step();
        b.isDatabaseDown = true;
        assertEquals(List.of("take back"), b.step());
        assertNull(b.loss);
    }

    @Test
    void an_unfit_connection_is_not_used_and_the_reason_shown() {
        b.unfit = Optional.of("database.url points to a pooler");
        assertEquals(List.of(), b.step());
        assertEquals("database.url points to a pooler", obstacle());
        b.role = Role.MASTER;
        assertEquals(List.of(), b.step());
    }
}
