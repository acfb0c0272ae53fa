package io.twinbell.lab;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.twinbell.lab.RandomMix.FaultChoice;
import io.twinbell.lab.fault.Fault;
import io.twinbell.lab.fault.FaultRequirements;
import io.twinbell.lab.fault.catalog.Faults;
import io.twinbell.lab.own.PairLayout;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class RandomMixTest {
    private static final long SEED = 7;
    private static final int MANY = 2000;
    private static final List<FaultChoice> EVERYTHING = Stream.of(
                    PairLayout.NAMESPACES, PairLayout.PROXIES, PairLayout.CLOCKS, PairLayout.REPLICA, PairLayout.DISK)
            .map(layout -> FaultChoice.of(Faults.ALL, layout))
            .toList();

    @Test
    void the_same_seed_gives_the_same_faults_and_another_one_others() {
        assertEquals(names(EVERYTHING, SEED), names(EVERYTHING, SEED));
        assertNotEquals(names(EVERYTHING, SEED), names(EVERYTHING, SEED + 1));
    }

    @Test
    void every_fault_of_every_pair_comes_alone_or_with_another() {
        Set<String> drawn = names(EVERYTHING, SEED).stream()
                .flatMap(name -> Arrays.stream(name.split("\\+")))
                .collect(Collectors.toSet());
        Faults.ALL.forEach(fault -> assertTrue(drawn.contains(fault.name()), fault.name()));
    }

    @Test
    void two_faults_at_once_break_different_things_on_a_pair_that_allows_both() {
        List<Fault> doubles = faults(EVERYTHING, SEED).stream()
                .filter(fault -> fault.name().contains("+"))
                .toList();
        assertTrue(doubles.size() > MANY / 6, doubles.size() + " of " + MANY);
        for (Fault both : doubles) {
            String[] names = both.name().split("\\+");
            Fault first = Faults.named(names[0]).orElseThrow();
            Fault second = Faults.named(names[1]).orElseThrow();
            assertTrue(Faults.areCombinable(first, second), both.name());
            assertTrue(
                    first.requirements().fits(both.requirements().layout())
                            && second.requirements().fits(both.requirements().layout()),
                    both.name());
        }
    }

    @Test
    void faults_that_break_the_same_part_or_are_sequences_are_not_combined() {
        assertTrue(goTogether("kill", "freeze-database"));
        assertTrue(goTogether("cut-master-database", "cut-standby-zookeeper-in"));
        assertFalse(goTogether("kill", "freeze"));
        assertFalse(goTogether("cut-master-database", "cut-master-database-out"));
        assertFalse(goTogether("lose-master-host", "cut-master-zookeeper"));
        assertFalse(goTogether("rolling-restart", "freeze-database"));
    }

    @Test
    void a_pair_that_runs_is_drilled_with_what_it_allows_alone() {
        faults(RandomMix.onAnyPair(), SEED)
                .forEach(fault -> assertEquals(FaultRequirements.ANY, fault.requirements(), fault.name()));
    }

    @Test
    void a_pair_is_not_changed_for_each_round() {
        List<Fault> drawn = faults(EVERYTHING, SEED);
        int changes = 0;
        PairLayout current = PairLayout.NAMESPACES;
        for (Fault fault : drawn) {
            if (!fault.requirements().fits(current)) {
                current = fault.requirements().layout();
                changes++;
            }
        }
        assertTrue(changes > 0 && changes <= MANY / 4, changes + " in " + MANY);
        assertEquals(
                EnumSet.of(
                        PairLayout.NAMESPACES,
                        PairLayout.PROXIES,
                        PairLayout.CLOCKS,
                        PairLayout.REPLICA,
                        PairLayout.DISK),
                drawn.stream()
                        .filter(fault -> fault.requirements() != FaultRequirements.ANY
                                && fault.requirements() != FaultRequirements.OWN)
                        .map(fault -> fault.requirements().layout())
                        .collect(Collectors.toCollection(() -> EnumSet.noneOf(PairLayout.class))));
    }

    private static boolean goTogether(String one, String other) {
        return Faults.areCombinable(
                Faults.named(one).orElseThrow(), Faults.named(other).orElseThrow());
    }

    private static List<String> names(List<FaultChoice> kinds, long seed) {
        return faults(kinds, seed).stream().map(Fault::name).toList();
    }

    private static List<Fault> faults(List<FaultChoice> kinds, long seed) {
        RandomMix mix = new RandomMix(kinds, new SplittableRandom(seed));
        return Stream.generate(mix::next).limit(MANY).toList();
    }
}
