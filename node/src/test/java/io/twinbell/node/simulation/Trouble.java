package io.twinbell.node.simulation;

import io.twinbell.node.simulation.SimulatedFaults.Kind;
import java.util.List;

/**
 * How much of what there is. Where a certain wrong is looked for, what shows it need not be left to chance alone.
 *
 * @param kinds the faults; empty to have them drawn
 * @param shareLost how many calls to the database lose their connection; negative to have it drawn
 * @param switchovers how often the role moves when all is well again
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
