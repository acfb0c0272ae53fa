package io.twinbell.lab;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.twinbell.lab.fault.Fault;
import io.twinbell.lab.fault.catalog.Faults;
import io.twinbell.lab.own.PairLayout;
import io.twinbell.lab.stage.DrillEvent;
import io.twinbell.lab.stage.DrillStage;
import io.twinbell.lab.stage.RoleAssignment;
import io.twinbell.tools.check.Rule;
import io.twinbell.tools.check.Violation;
import io.twinbell.tools.check.history.CheckedSlot;
import io.twinbell.tools.check.history.EpochOpening;
import io.twinbell.tools.check.history.History;
import io.twinbell.tools.check.history.ReceivedCall;
import java.io.StringReader;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.OptionalLong;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.w3c.dom.Document;
import org.xml.sax.InputSource;

class FaultsTest {
    private static final EpochOpening BEFORE = new EpochOpening(7, "a", 0);

    @Test
    void every_fault_has_a_name_of_its_own() {
        assertEquals(
                Faults.ALL.size(),
                Faults.ALL.stream().map(Fault::name).distinct().count());
        Faults.ALL.forEach(
                fault -> assertEquals(fault, Faults.named(fault.name()).orElseThrow()));
        assertTrue(Faults.named("flood").isEmpty());
    }

    @Test
    void the_list_tells_of_each_drill_what_it_does_and_takes() {
        String list = DrillSelection.list();

        Faults.ALL.forEach(fault -> assertTrue(list.contains(fault.name() + " "), fault.name()));
        assertTrue(list.lines()
                .anyMatch(line -> line.contains("lose-master-host") && line.contains("network namespaces")));
    }

    @Test
    void a_master_that_changed_without_need_is_an_offence() {
        assertEquals(List.of(), rules("pause-master", BEFORE));
        assertEquals(List.of(Rule.MASTER_CHANGED), rules("pause-master", BEFORE, new EpochOpening(8, "b", 9)));
        assertEquals(List.of(Rule.MASTER_CHANGED), rules("pause-master", BEFORE, new EpochOpening(8, "a", 9)));
    }

    @Test
    void a_lost_master_has_one_successor_and_no_second_one() {
        EpochOpening next = new EpochOpening(8, "b", 9);
        assertEquals(List.of(), rules("kill", BEFORE, next));
        assertEquals(List.of(Rule.NOT_ONE_SUCCESSOR), rules("kill", BEFORE));
        assertEquals(List.of(Rule.NOT_ONE_SUCCESSOR), rules("kill", BEFORE, next, new EpochOpening(9, "a", 10)));
    }

    @Test
    void when_both_are_lost_either_may_come_back_first_and_keeps_the_role() {
        EpochOpening byA = new EpochOpening(8, "a", 9);
        assertEquals(List.of(), rules("kill-both", BEFORE, byA));
        assertEquals(List.of(), rules("kill-both", BEFORE, new EpochOpening(8, "b", 9)));
        assertEquals(List.of(Rule.NOT_ONE_SUCCESSOR), rules("kill-both", BEFORE));
        assertEquals(List.of(Rule.NOT_ONE_SUCCESSOR), rules("kill-both", BEFORE, byA, new EpochOpening(9, "b", 10)));
    }

    @Test
    void a_successor_that_is_killed_may_have_opened_an_epoch_before() {
        EpochOpening killed = new EpochOpening(8, "b", 9);
        EpochOpening next = new EpochOpening(9, "a", 10);
        assertEquals(List.of(), rules("kill-promoting", BEFORE, killed, next));
        assertEquals(List.of(), rules("kill-promoting", BEFORE, next));
        assertEquals(List.of(Rule.NOT_ONE_SUCCESSOR), rules("kill-promoting", BEFORE));
        assertEquals(
                List.of(Rule.NOT_ONE_SUCCESSOR),
                rules("kill-promoting", BEFORE, killed, next, new EpochOpening(10, "b", 11)));
    }

    @Test
    void no_more_epochs_are_opened_than_masters_were_killed() {
        Fault.Epochs thrice = Faults.named("kill-loop")
                .flatMap(loop -> loop.times(3))
                .orElseThrow()
                .epochs();
        EpochOpening[] four = {
            BEFORE,
            new EpochOpening(8, "b", 9),
            new EpochOpening(9, "a", 10),
            new EpochOpening(10, "b", 11),
            new EpochOpening(11, "a", 12)
        };
        assertEquals(List.of(), rules(thrice, Arrays.copyOf(four, 4)));
        assertEquals(List.of(Rule.NOT_ONE_SUCCESSOR), rules(thrice, four));
    }

    @Test
    void only_calls_of_a_cut_off_nodes_own_epochs_may_straggle() {
        List<EpochOpening> openings = List.of(BEFORE, new EpochOpening(8, "b", 900), new EpochOpening(9, "a", 2000));

        assertEquals(
                List.of(new History.FormerMaster(7, 1000, false)),
                RoundChecker.stragglers(List.of(new Fault.IsolatedMaster("a", 1000)), List.of(), openings));
        assertEquals(
                List.of(new History.FormerMaster(8, 1000, false)),
                RoundChecker.stragglers(List.of(new Fault.IsolatedMaster("b", 1000)), List.of(), openings));
        assertEquals(
                List.of(), RoundChecker.stragglers(List.of(new Fault.IsolatedMaster("b", 800)), List.of(), openings));
    }

    @Test
    void calls_of_a_killed_node_are_left_behind() {
        List<EpochOpening> openings = List.of(BEFORE, new EpochOpening(8, "b", 900), new EpochOpening(9, "a", 2000));

        assertEquals(
                List.of(new History.FormerMaster(7, 1000, true), new History.FormerMaster(8, 1500, true)),
                RoundChecker.stragglers(
                        List.of(),
                        List.of(new DrillStage.KilledNode("a", 1000), new DrillStage.KilledNode("b", 1500)),
                        openings));
    }

    @Test
    void each_link_is_cut_in_each_direction() {
        for (String link : List.of("""
                master-database standby-database both-database master-zookeeper standby-zookeeper \
                both-zookeeper master-peer""".split(" "))) {
            for (String direction : List.of("", "-out", "-in")) {
                assertTrue(Faults.named("cut-" + link + direction).isPresent(), link + direction);
            }
        }
    }

    @Test
    void replica_faults_need_a_pair_with_a_replica_and_single_server_faults_avoid_it() {
        for (String name : List.of("""
                promote-replica switch-primary hang-sync-standby lose-sync-standby two-primaries \
                promote-lagging-replica lose-primary-and-master""".split(" "))) {
            Fault fault = Faults.named(name).orElseThrow();
            assertEquals(PairLayout.REPLICA, fault.requirements().layout(), name);
            assertFalse(fault.requirements().fits(PairLayout.ONE_HOST), name);
        }
        assertFalse(Faults.named("hanging-commits").orElseThrow().requirements().fits(PairLayout.REPLICA));
        assertTrue(Faults.named("crash-database").orElseThrow().requirements().fits(PairLayout.REPLICA));
    }

    @Test
    void the_longest_silence_counts_from_the_fault() {
        List<ReceivedCall> calls = List.of(call(1000), call(5200), call(5300), call(6100));
        assertEquals(OptionalLong.of(800), FaultExpectations.longestSilence(5_000_000, calls));
        assertEquals(
                OptionalLong.of(1100), FaultExpectations.longestSilence(5_000_000, List.of(call(1000), call(6100))));
        assertEquals(OptionalLong.empty(), FaultExpectations.longestSilence(5_000_000, List.of(call(1000))));
    }

    @Test
    void the_picture_of_a_round_shows_both_nodes_the_calls_and_the_fault() throws Exception {
        String svg = TimelineSvg.of(
                new RoleAssignment("a", "b", 7),
                List.of(
                        new DrillEvent(5_000_000, 5_010_000, "killed <a>", true),
                        new DrillEvent(6_000_000, 6_010_000, "started a", false)),
                List.of(
                        new RoleHistoryEntry(5100, "b", "PROMOTING", 7, 0),
                        new RoleHistoryEntry(5150, "b", "MASTER", 8, 0)),
                List.of(call(4000), call(4050), call(5200), call(9000)));
        Document document =
                DocumentBuilderFactory.newInstance().newDocumentBuilder().parse(new InputSource(new StringReader(svg)));
        List<String> roles = new ArrayList<>();
        for (int i = 0; i < document.getElementsByTagName("rect").getLength(); i++) {
            roles.add(document.getElementsByTagName("rect").item(i).getTextContent());
        }
        // A bar for each stretch of a role, then one for each tenth of a second with calls.
        assertEquals(List.of("MASTER", "LOST", "STANDBY", "PROMOTING", "MASTER", "", "", ""), roles);
        assertTrue(svg.contains("#c0392b"), "the fault");
        assertTrue(svg.contains("<title>killed &lt;a&gt;</title>"), "what it was");
    }

    @Test
    void a_round_without_any_call_can_be_drawn() {
        assertTrue(TimelineSvg.of(
                        new RoleAssignment("a", "b", 7),
                        List.of(new DrillEvent(5_000_000, 5_010_000, "killed a", true)),
                        List.of(),
                        List.of())
                .endsWith("</svg>\n"));
    }

    private static List<Rule> rules(String fault, EpochOpening... openings) {
        return rules(Faults.named(fault).orElseThrow().epochs(), openings);
    }

    private static List<Rule> rules(Fault.Epochs owed, EpochOpening... openings) {
        List<Violation> offences = new ArrayList<>();
        FaultExpectations.checkRoleChanges(owed, List.of(openings), offences::add);
        return offences.stream().map(Violation::rule).toList();
    }

    private static ReceivedCall call(long arrivedMillis) {
        return new ReceivedCall(new CheckedSlot(1, arrivedMillis), 1, 7, arrivedMillis * 1000, 0);
    }
}
