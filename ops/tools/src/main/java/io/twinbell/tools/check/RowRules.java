package io.twinbell.tools.check;

import java.util.List;
import java.util.function.Consumer;

/**
 * Everything that can be told from a task's rows and from who ruled when. A history that has come to its end and a living
 * ledger are held against the same.
 */
final class RowRules implements RowRule {
    private final List<RowRule> rules;

    RowRules(RuleContext context, EpochOwnership ownership, Consumer<Violation> offences) {
        rules = List.of(
                new RowSanityRule(offences),
                new ClaimEpochRule(ownership, offences),
                new AttemptRule(context, ownership, offences),
                new DropRule(context, ownership, offences),
                new MissedRule(context, offences),
                new OverlapRule(context, offences));
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
