package io.twinbell.lab;

import io.twinbell.lab.fault.Fault;
import io.twinbell.lab.fault.FaultRequirements;
import io.twinbell.lab.fault.catalog.Faults;
import io.twinbell.lab.own.PairLayout;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;

/**
 * Random sequence of faults, sometimes two at once, reproducible by the seed. Faults that need another pair layout come
 * in stretches, because each change of pairs takes 15 s.
 */
final class RandomMix {
    private static final int SHORTEST_STRETCH = 4;
    private static final int LONGEST_STRETCH = 10;
    /** One round in three has two faults. */
    private static final int TWO_OF = 3;

    private final List<FaultChoice> kinds;
    private final SplittableRandom random;
    private FaultChoice faultChoice;
    private int left;

    /**
     * The faults that one pair allows.
     *
     * @param all all of them
     * @param special those that no other pair allows; all if there are none
     */
    record FaultChoice(List<Fault> all, List<Fault> special) {
        static FaultChoice of(List<Fault> faults, PairLayout layout) {
            List<Fault> all = faults.stream()
                    .filter(fault -> fault.requirements().fits(layout))
                    .toList();
            List<Fault> special = all.stream()
                    .filter(fault -> fault.requirements() != FaultRequirements.ANY
                            && fault.requirements() != FaultRequirements.OWN)
                    .toList();
            return new FaultChoice(all, special.isEmpty() ? all : special);
        }
    }

    RandomMix(List<FaultChoice> kinds, SplittableRandom random) {
        this.kinds = kinds;
        this.random = random;
    }

    /** The faults for the running pair. */
    static List<FaultChoice> onAnyPair() {
        List<Fault> faults = Faults.ALL.stream()
                .filter(fault -> fault.requirements() == FaultRequirements.ANY)
                .toList();
        return List.of(new FaultChoice(faults, faults));
    }

    /** The faults for every pair that can be started on this machine. */
    static List<FaultChoice> onOwnPairs() {
        Map<PairLayout, FaultChoice> byLayout = new EnumMap<>(PairLayout.class);
        for (FaultRequirements requirements : FaultRequirements.values()) {
            if (requirements.obstacle() == null) {
                byLayout.computeIfAbsent(requirements.layout(), layout -> FaultChoice.of(Faults.ALL, layout));
            }
        }
        return new ArrayList<>(byLayout.values());
    }

    Fault next() {
        if (left == 0) {
            faultChoice = kinds.get(random.nextInt(kinds.size()));
            left = random.nextInt(SHORTEST_STRETCH, LONGEST_STRETCH + 1);
        }
        left--;
        Fault one = any(random.nextBoolean() ? faultChoice.special() : faultChoice.all());
        if (random.nextInt(TWO_OF) > 0) {
            return one;
        }
        List<Fault> others = faultChoice.all().stream()
                .filter(other -> Faults.areCombinable(one, other))
                .toList();
        return others.isEmpty() ? one : Faults.together(one, any(others), random);
    }

    private Fault any(List<Fault> faults) {
        return faults.get(random.nextInt(faults.size()));
    }
}
