package io.twinbell.ops.check;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/** Holds a history against every rule. */
public final class Checker {
    private Checker() {}

    /** Everything that is wrong, ordered by rule and fire time; empty if all rules hold. */
    public static List<Offence> check(History history) {
        List<Offence> found = new ArrayList<>();
        Coverage.check(history, found::add);
        Chains.check(history, found::add);
        checkRows(history, found::add);
        CatchingUp.check(history, found::add);
        Calls.check(history, found::add);
        Doubts.check(history, found::add);
        Epochs.check(history, found::add);
        return found.stream().sorted().toList();
    }

    private static void checkRows(History history, Consumer<Offence> offences) {
        Reigns reigns = new Reigns(history.openings());
        Map<Long, List<LedgerRow>> rows = history.rowsByTask();
        for (WatchedTask task : history.tasks()) {
            RowRules rules = new RowRules(task.grounds(), reigns, offences);
            rows.getOrDefault(task.id(), List.of()).forEach(rules::row);
            rules.end();
            rows.remove(task.id());
        }
        rows.forEach((task, strays) -> offences.accept(
                new Offence(Rule.STRAY, strays.get(0).slot(), strays.size() + " rows of a task that nobody knows")));
    }

    /**
     * Holds against each other only the epochs that were opened.
     *
     * @param openings in the order of their numbers
     */
    public static List<Offence> checkOpenings(List<Opening> openings) {
        List<Offence> found = new ArrayList<>();
        Epochs.checkOpenings(openings, found::add);
        return found;
    }
}
