package io.twinbell.node.simulation;

import io.twinbell.node.simulation.SimulatedFaults.Kind;
import java.util.List;

/**
 * How much goes wrong in a simulation. A search for a certain error may set what would otherwise be left to chance.
 *
 * @param kinds the faults; empty to have them drawn
 * @param shareLost the share of calls to the database that lose their connection; negative to have it drawn
 * @param switchovers how often the role moves after the faults have ended
 * @param meanEditMillis the pause between edits; 0 to have it drawn
 */
record Trouble(List<Kind> kinds, double shareLost, int switchovers, long meanEditMillis) {
    static final Trouble DRAWN = of();

    static Trouble of(Kind... kinds) {
        return new Trouble(List.of(kinds), -1, 3, 0);
    }

    Trouble losing(double share) {
        return new Trouble(kinds, share, switchovers, meanEditMillis);
    }

    Trouble moving(int times, long editMillis) {
        return new Trouble(kinds, shareLost, times, editMillis);
    }
}
