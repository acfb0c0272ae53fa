package io.twinbell.lab.fault.catalog;

import io.twinbell.lab.fault.Fault;
import io.twinbell.lab.fault.FaultRequirements;
import io.twinbell.lab.stage.DrillStage;
import io.twinbell.tools.client.NodeException;
import io.twinbell.tools.drill.DrillException;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.Stream;

/**
 * Two faults at once: the second strikes before the first is repaired. The final roles and the length of the gap are
 * then undefined. Nothing may be lost or executed twice, and the pair must recover.
 */
final class CombinedFault extends Fault {
    /** Each of the two faults may change the master when it strikes and when it is repaired. */
    private static final Epochs AT_MOST_TWICE_EACH = new Epochs(0, 4);

    private static final Duration BETWEEN_AT_MOST = Duration.ofSeconds(4);
    private static final Duration AT_ONCE_AT_MOST = Duration.ofSeconds(12);

    private final Fault first;
    private final Fault second;
    private final Moments moments;
    private final List<IsolatedMaster> kept = new ArrayList<>();
    private final List<Fault> struck = new ArrayList<>();

    /**
     * The times of the combination.
     *
     * @param between between the two strikes
     * @param atOnce how long both faults last together
     * @param apart between the two repairs
     * @param isFirstMendedFirst whether the first fault is repaired first, if the order is free
     */
    private record Moments(Duration between, Duration atOnce, Duration apart, boolean isFirstMendedFirst) {
        static Moments any(SplittableRandom random) {
            return new Moments(
                    upTo(BETWEEN_AT_MOST, random),
                    upTo(AT_ONCE_AT_MOST, random),
                    upTo(BETWEEN_AT_MOST, random),
                    random.nextBoolean());
        }

        private static Duration upTo(Duration most, SplittableRandom random) {
            return Duration.ofMillis(random.nextLong(most.toMillis()));
        }
    }

    private CombinedFault(Fault first, Fault second, Moments moments) {
        super(
                first.name() + "+" + second.name(),
                first.description() + " Meanwhile: " + second.description(),
                RoleEffect.ANY_MASTER);
        this.first = first;
        this.second = second;
        this.moments = moments;
    }

    static boolean isPossible(Fault one, Fault other) {
        return !one.parts().isEmpty() && !other.parts().isEmpty() && Collections.disjoint(one.parts(), other.parts());
    }

    static CombinedFault at(Fault first, Fault second, SplittableRandom random) {
        return new CombinedFault(first, second, Moments.any(random));
    }

    @Override
    public Epochs epochs() {
        return AT_MOST_TWICE_EACH;
    }

    @Override
    public FaultRequirements requirements() {
        return Stream.of(first, second)
                .map(Fault::requirements)
                .max(Comparator.naturalOrder())
                .orElseThrow();
    }

    @Override
    public Duration lasts() {
        return moments.atOnce();
    }

    @Override
    public List<IsolatedMaster> kept(DrillStage stage) {
        return List.copyOf(kept);
    }

    @Override
    public void strike(DrillStage stage) throws DrillException, NodeException, IOException {
        kept.clear();
        struck.clear();
        strike(stage, first);
        stage.poll().sleep(moments.between());
        try {
            strike(stage, second);
        } catch (DrillException.Refused | IOException nothingToStrike) {
            stage.print(second + " cannot be injected as well: " + nothingToStrike.getMessage());
        }
    }

    private void strike(DrillStage stage, Fault fault) throws DrillException, NodeException, IOException {
        fault.strike(stage);
        struck.add(fault);
        fault.isolatedMaster(stage).ifPresent(kept::add);
    }

    @Override
    public void heal(DrillStage stage) throws DrillException, NodeException, IOException {
        List<Fault> order = new ArrayList<>(struck);
        if (!moments.isFirstMendedFirst()) {
            Collections.reverse(order);
        }
        order.sort(Comparator.comparing(Fault::isRepairedLast));
        for (Fault fault : order) {
            fault.heal(stage);
            stage.poll().sleep(moments.apart());
        }
    }
}
