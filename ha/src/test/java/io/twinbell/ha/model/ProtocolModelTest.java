package io.twinbell.ha.model;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * TLC checks every state of the model {@code ha/model/Protocol.tla}, and finds each broken rule. TLC's output is in
 * {@code target/model}. More faults: {@code -Dtwinbell.model.faults=3}; more slots: {@code -Dtwinbell.model.slots=s,t}.
 */
class ProtocolModelTest {
    private static final ModelChecker PROTOCOL = new ModelChecker("Protocol.tla");

    @Test
    void the_protocol_keeps_its_rules_in_every_order_of_events() throws Exception {
        String faults = System.getProperty("twinbell.model.faults", "2");
        String slots = System.getProperty("twinbell.model.slots", "s");
        PROTOCOL.check(
                        "safety",
                        "Safety.cfg",
                        "Faults = 2",
                        "Faults = " + faults,
                        "Slots = {s}",
                        "Slots = {" + slots + "}")
                .isSound();
    }

    @Tag("thorough")
    @Test
    void in_the_end_there_is_a_master_and_every_slot_is_accounted_for() throws Exception {
        PROTOCOL.check("liveness", "Liveness.cfg").isSound();
    }

    @Tag("thorough")
    @Test
    void the_same_holds_where_what_a_dead_master_left_is_dropped() throws Exception {
        PROTOCOL.check("dropping", "Safety.cfg", "Rerun = {s}", "Rerun = {}").isSound();
        PROTOCOL.check("dropping-in-the-end", "Liveness.cfg", "Rerun = {s}", "Rerun = {}")
                .isSound();
    }

    @Tag("thorough")
    @ParameterizedTest
    @CsvSource({
        "open without comparing,     EpochsGrowAndHaveOneOwnerEach",
        "claim without the guard,    NoClaimUnderAnEpochThatIsOver",
        "run before claiming,        NoSecondStartWithoutASettlement",
        "start without trust,        NoStartAfterTheSettlement",
        "settle at once,             NoStartAfterTheSettlement",
        "settle before opening,      OneClaimForASlotUnderAnEpoch",
        "hand back without comparing,NoStartAfterTheSettlement",
        "believe old answers,        AMasterStays",
        "resign without ZooKeeper,   AMasterStays"
    })
    void a_rule_that_is_broken_is_missed(String mutation, String claim) throws Exception {
        PROTOCOL.check(mutation, "Safety.cfg", "\"none\"", "\"" + mutation + "\"")
                .violates(claim);
    }

    @Tag("thorough")
    @Test
    void a_dead_session_that_is_kept_for_ever_leaves_the_pair_without_a_master() throws Exception {
        ModelChecker.Checked checked =
                PROTOCOL.check("keep dead sessions", "Liveness.cfg", "\"none\"", "\"keep dead sessions\"");
        assertEquals(ModelChecker.PROPERTY_VIOLATED, checked.exitCode(), checked.said());
    }

    @Tag("thorough")
    @Test
    void a_start_check_that_passed_just_before_a_freeze_is_the_one_thing_that_cannot_be_fenced() throws Exception {
        PROTOCOL.check("window", "Safety.cfg", "Window = FALSE", "Window = TRUE")
                .violates("NoStartAfterTheSettlement");
        PROTOCOL.check(
                        "window-and-the-rest",
                        "Safety.cfg",
                        "Window = FALSE",
                        "Window = TRUE",
                        "    NoStartAfterTheSettlement\n",
                        "")
                .isSound();
    }

    /** The one start that cannot be fenced takes no effect at a receiver that keeps keys and the greatest epoch. */
    @Tag("thorough")
    @ParameterizedTest
    @ValueSource(strings = {"s", "s,t"})
    void a_receiver_with_a_memory_lets_each_slot_take_effect_once_in_spite_of_the_window(String slots)
            throws Exception {
        PROTOCOL.check(
                        "receiver",
                        "Safety.cfg",
                        "Window = FALSE",
                        "Window = TRUE",
                        "Receiver = \"nothing\"",
                        "Receiver = \"memory\"",
                        "Slots = {s}",
                        "Slots = {" + slots + "}",
                        "    NoStartAfterTheSettlement\n",
                        "")
                .isSound();
        PROTOCOL.check("receiver-without-memory", "Safety.cfg", "Receiver = \"nothing\"", "Receiver = \"no memory\"")
                .violates("OneEffectForASlot");
    }
}
