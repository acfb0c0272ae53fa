package io.twinbell.lab;

import io.twinbell.lab.fault.Fault;
import io.twinbell.lab.fault.FaultRequirements;
import io.twinbell.lab.fault.catalog.Faults;
import io.twinbell.tools.client.CommandClock;
import java.time.Duration;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.function.Function;
import java.util.function.IntFunction;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The faults that a drill's name selects. */
final class DrillSelection {
    static final String ALL = "all";
    static final String RANDOM = "random";
    static final String LIST = "list";

    private final String name;
    private final List<Fault> faults;

    private DrillSelection(String name, List<Fault> faults) {
        this.name = name;
        this.faults = faults;
    }

    /** Empty if no drill has this name. */
    static Optional<DrillSelection> named(String name) {
        if (name.equals(ALL) || name.equals(RANDOM)) {
            return Optional.of(new DrillSelection(name, Faults.ALL));
        }
        return Faults.named(name).map(fault -> new DrillSelection(name, List.of(fault)));
    }

    /** The same fault with this number of repetitions; empty if the fault has no such option. */
    Optional<DrillSelection> times(int times) {
        return changed(fault -> fault.times(times));
    }

    /** The same fault with this duration; empty if the fault has no such option. */
    Optional<DrillSelection> lasting(Duration time) {
        return changed(fault -> fault.lasting(time));
    }

    /** The same fault under this load of one-shots a second; empty if the fault has no such option. */
    Optional<DrillSelection> under(int perSecond) {
        return changed(fault -> fault.under(perSecond));
    }

    private Optional<DrillSelection> changed(Function<Fault, Optional<Fault>> change) {
        return faults.size() == 1
                ? change.apply(faults.get(0)).map(fault -> new DrillSelection(name, List.of(fault)))
                : Optional.empty();
    }

    static Stream<String> names() {
        return Stream.concat(Faults.ALL.stream().map(Fault::name), Stream.of(ALL, RANDOM));
    }

    /** A line for each drill, with its effect and requirements. */
    static String list() {
        return Stream.concat(
                        Faults.ALL.stream()
                                .map(fault -> line(
                                        fault.name(),
                                        fault.description()
                                                + (fault.requirements() == FaultRequirements.ANY
                                                        ? ""
                                                        : " Requires "
                                                                + fault.requirements()
                                                                        .words() + "."))),
                        Stream.of(
                                line(ALL, "All drills, each on its own temporary pair: the suite."),
                                line(
                                        RANDOM,
                                        "Random drills that the running pair allows, sometimes two at once, chosen"
                                                + " by the seed; with --own, all that this machine allows.")))
                .collect(Collectors.joining("\n"));
    }

    private static String line(String name, String what) {
        return String.format(Locale.ROOT, "  %-26s %s", name, what);
    }

    /** Whether the drill needs a pair of its own. */
    boolean takesOwnPair() {
        return name.equals(ALL) || faults.size() == 1 && faults.get(0).requirements() != FaultRequirements.ANY;
    }

    /**
     * The faults, one per round.
     *
     * @param limit the time in which rounds are begun; null for this number of rounds
     * @param own whether the faults strike a pair of the drill's own
     */
    Iterator<Fault> faults(int rounds, Duration limit, boolean own, SplittableRandom random) {
        CommandClock clock = new CommandClock();
        long start = clock.nanos();
        IntFunction<Fault> which = which(own, random);
        int most = rounds * (name.equals(RANDOM) ? 1 : faults.size());
        return new Iterator<>() {
            private int given;

            @Override
            public boolean hasNext() {
                return limit == null ? given < most : clock.since(start).compareTo(limit) < 0;
            }

            @Override
            public Fault next() {
                return which.apply(given++);
            }
        };
    }

    private IntFunction<Fault> which(boolean own, SplittableRandom random) {
        if (!name.equals(RANDOM)) {
            return round -> faults.get(round % faults.size());
        }
        RandomMix mix = new RandomMix(own ? RandomMix.onOwnPairs() : RandomMix.onAnyPair(), random);
        return round -> mix.next();
    }
}
