package io.twinbell.ops.drill;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.twinbell.ops.check.Call;
import io.twinbell.ops.check.History;
import io.twinbell.ops.check.Offence;
import io.twinbell.ops.check.Opening;
import io.twinbell.ops.check.Rule;
import io.twinbell.ops.check.Slot;
import io.twinbell.ops.drill.fault.Fault;
import io.twinbell.ops.drill.fault.Faults;
import io.twinbell.ops.drill.own.Layout;
import io.twinbell.ops.drill.stage.Cast;
import io.twinbell.ops.drill.stage.Mark;
import io.twinbell.ops.drill.stage.Stage;
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
    private static final Opening BEFORE = new Opening(7, "a", 0);

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
        String list = Choice.list();

        Faults.ALL.forEach(fault -> assertTrue(list.contains(fault.name() + " "), fault.name()));
        assertTrue(list.lines()
                .anyMatch(line -> line.contains("lose-master-host") && line.contains("network namespaces")));
    }

    @Test
    void a_master_that_changed_without_need_is_an_offence() {
        assertEquals(List.of(), rules("pause-master", BEFORE));
        assertEquals(List.of(Rule.MASTER_CHANGED), rules("pause-master", BEFORE, new Opening(8, "b", 9)));
        assertEquals(List.of(Rule.MASTER_CHANGED), rules("pause-master", BEFORE, new Opening(8, "a", 9)));
    }

    @Test
    void a_lost_master_has_one_successor_and_no_second_one() {
        Opening next = new Opening(8, "b", 9);
        assertEquals(List.of(), rules("kill", BEFORE, next));
        assertEquals(List.of(Rule.NOT_ONE_SUCCESSOR), rules("kill", BEFORE));
        assertEquals(List.of(Rule.NOT_ONE_SUCCESSOR), rules("kill", BEFORE, next, new Opening(9, "a", 10)));
    }

    @Test
    void when_both_are_lost_either_may_come_back_first_and_keeps_the_role() {
        Opening byA = new Opening(8, "a", 9);
        assertEquals(List.of(), rules("kill-both", BEFORE, byA));
        assertEquals(List.of(), rules("kill-both", BEFORE, new Opening(8, "b", 9)));
        assertEquals(List.of(Rule.NOT_ONE_SUCCESSOR), rules("kill-both", BEFORE));
        assertEquals(List.of(Rule.NOT_ONE_SUCCESSOR), rules("kill-both", BEFORE, byA, new Opening(9, "b", 10)));
    }

    @Test
    void a_successor_that_is_killed_may_have_opened_an_epoch_before() {
        Opening killed = new Opening(8, "b", 9);
        Opening next = new Opening(9, "a", 10);
        assertEquals(List.of(), rules("kill-promoting", BEFORE, killed, next));
        assertEquals(List.of(), rules("kill-promoting", BEFORE, next));
        assertEquals(List.of(Rule.NOT_ONE_SUCCESSOR), rules("kill-promoting", BEFORE));
        assertEquals(
                List.of(Rule.NOT_ONE_SUCCESSOR),
                rules("kill-promoting", BEFORE, killed, next, new Opening(10, "b", 11)));
    }

    @Test
    void no_more_epochs_are_opened_than_masters_were_killed() {
        Fault.Epochs thrice = Faults.named("kill-loop")
                .flatMap(loop -> loop.times(3))
                .orElseThrow()
                .epochs();
        Opening[] four = {
            BEFORE, new Opening(8, "b", 9), new Opening(9, "a", 10), new Opening(10, "b", 11), new Opening(11, "a", 12)
        };
        assertEquals(List.of(), rules(thrice, Arrays.copyOf(four, 4)));
        assertEquals(List.of(Rule.NOT_ONE_SUCCESSOR), rules(thrice, four));
    }

    @Test
    void of_a_node_that_was_kept_from_calling_the_calls_of_its_epochs_may_straggle_and_no_others() {
        List<Opening> openings = List.of(BEFORE, new Opening(8, "b", 900), new Opening(9, "a", 2000));

        assertEquals(
                List.of(new History.Stragglers(7, 1000, false)),
                Judge.stragglers(List.of(new Fault.Kept("a", 1000)), List.of(), openings));
        assertEquals(
                List.of(new History.Stragglers(8, 1000, false)),
                Judge.stragglers(List.of(new Fault.Kept("b", 1000)), List.of(), openings));
        assertEquals(List.of(), Judge.stragglers(List.of(new Fault.Kept("b", 800)), List.of(), openings));
    }

    @Test
    void what_a_node_had_called_when_it_was_killed_is_left_behind() {
        List<Opening> openings = List.of(BEFORE, new Opening(8, "b", 900), new Opening(9, "a", 2000));

        assertEquals(
                List.of(new History.Stragglers(7, 1000, true), new History.Stragglers(8, 1500, true)),
                Judge.stragglers(List.of(), List.of(new Stage.Death("a", 1000), new Stage.Death("b", 1500)), openings));
    }

    @Test
    void each_link_is_cut_in_each_direction() {
        for (String link : List.of(
                "master-database",
                "standby-database",
                "both-database",
                "master-zookeeper",
                "standby-zookeeper",
                "both-zookeeper",
                "master-peer")) {
            for (String direction : List.of("", "-out", "-in")) {
                assertTrue(Faults.named("cut-" + link + direction).isPresent(), link + direction);
            }
        }
    }

    @Test
    void what_is_done_to_a_replica_takes_a_pair_that_has_one_and_what_is_done_to_one_server_does_not_come_there() {
        for (String name : List.of(
                "promote-replica",
                "switch-primary",
                "hang-sync-standby",
                "lose-sync-standby",
                "two-primaries",
                "promote-lagging-replica",
                "lose-primary-and-master")) {
            Fault fault = Faults.named(name).orElseThrow();
            assertEquals(Layout.REPLICA, fault.venue().layout(), name);
            assertFalse(fault.venue().fits(Layout.ONE_HOST), name);
        }
        assertFalse(Faults.named("hanging-commits").orElseThrow().venue().fits(Layout.REPLICA));
        assertTrue(Faults.named("crash-database").orElseThrow().venue().fits(Layout.REPLICA));
    }

    @Test
    void the_longest_silence_counts_from_the_fault() {
        List<Call> calls = List.of(call(1000), call(5200), call(5300), call(6100));
        assertEquals(OptionalLong.of(800), Silence.longest(5_000_000, calls));
        assertEquals(OptionalLong.of(1100), Silence.longest(5_000_000, List.of(call(1000), call(6100))));
        assertEquals(OptionalLong.empty(), Silence.longest(5_000_000, List.of(call(1000))));
    }

    @Test
    void the_picture_of_a_round_shows_both_nodes_the_calls_and_the_fault() throws Exception {
        String svg = TimelineSvg.of(
                new Cast("a", "b", 7),
                List.of(
                        new Mark(5_000_000, 5_010_000, "killed <a>", true),
                        new Mark(6_000_000, 6_010_000, "started a", false)),
                List.of(new RoleChange(5100, "b", "PROMOTING", 7, 0), new RoleChange(5150, "b", "MASTER", 8, 0)),
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
                        new Cast("a", "b", 7),
                        List.of(new Mark(5_000_000, 5_010_000, "killed a", true)),
                        List.of(),
                        List.of())
                .endsWith("</svg>\n"));
    }

    private static List<Rule> rules(String fault, Opening... openings) {
        return rules(Faults.named(fault).orElseThrow().epochs(), openings);
    }

    private static List<Rule> rules(Fault.Epochs owed, Opening... openings) {
        List<Offence> offences = new ArrayList<>();
        Succession.check(owed, List.of(openings), offences::add);
        return offences.stream().map(Offence::rule).toList();
    }

    private static Call call(long arrivedMillis) {
        return new Call(new Slot(1, arrivedMillis), 1, 7, arrivedMillis * 1000, 0);
    }
}
