package io.twinbell.tools.check;

import io.twinbell.tools.check.history.EpochOpening;
import io.twinbell.tools.check.history.EpochOwnership;
import io.twinbell.tools.check.history.History;
import io.twinbell.tools.check.history.LedgerRow;
import io.twinbell.tools.check.history.WatchedTask;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/** Checks a history against every rule. */
public final class Checker {
    private Checker() {}

    /** All violations, ordered by rule and fire time; empty if all rules hold. */
    public static List<Violation> check(History history) {
        List<Violation> found = new ArrayList<>();
        CoverageRule.check(history, found::add);
        FixedDelayRule.check(history, found::add);
        checkRows(history, found::add);
        CatchUpRule.check(history, found::add);
        CallsMatchLedgerRule.check(history, found::add);
        DoubtRule.check(history, found::add);
        EpochRule.check(history, found::add);
        return found.stream().sorted().toList();
    }

    private static void checkRows(History history, Consumer<Violation> offences) {
        EpochOwnership ownership = new EpochOwnership(history.openings());
        Map<Long, List<LedgerRow>> rows = history.rowsByTask();
        for (WatchedTask task : history.tasks()) {
            RowRules rules = new RowRules(task.context(), ownership, offences);
            rows.getOrDefault(task.id(), List.of()).forEach(rules::row);
            rules.end();
            rows.remove(task.id());
        }
        rows.forEach((task, strays) -> offences.accept(
                new Violation(Rule.STRAY, strays.get(0).slot(), strays.size() + " rows of an unknown task")));
    }

    /**
     * Checks only the order and the owners of the opened epochs.
     *
     * @param openings in the order of their numbers
     */
    public static List<Violation> checkOpenings(List<EpochOpening> openings) {
        List<Violation> found = new ArrayList<>();
        EpochRule.checkOpenings(openings, found::add);
        return found;
    }
}
