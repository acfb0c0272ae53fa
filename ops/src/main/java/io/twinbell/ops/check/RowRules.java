package io.twinbell.ops.check;

import java.util.List;
import java.util.function.Consumer;

/**
 * Everything that can be told from a task's rows and from who ruled when. A history that has come to its end and a living
 * ledger are held against the same.
 */
final class RowRules implements RowRule {
    private final List<RowRule> rules;

    RowRules(Grounds grounds, Reigns reigns, Consumer<Offence> offences) {
        rules = List.of(
                new Truth(offences),
                new Claims(reigns, offences),
                new Attempts(grounds, reigns, offences),
                new Drops(grounds, reigns, offences),
                new Misses(grounds, offences),
                new Overlaps(grounds, offences));
    }

    @Override
    public void before(LedgerRow row) {
        rules.forEach(rule -> rule.before(row));
    }

    @Override
    public void row(LedgerRow row) {
        rules.forEach(rule -> rule.row(row));
    }

    @Override
    public void end() {
        rules.forEach(RowRule::end);
    }
}
