package io.twinbell.tools.check;

import io.twinbell.tools.check.history.EpochOwnership;
import io.twinbell.tools.check.history.LedgerRow;
import io.twinbell.tools.check.history.RuleContext;
import java.util.List;
import java.util.function.Consumer;

/**
 * All rules that need only a task's rows and the epoch ownership. They apply to complete histories and to the ledger of
 * a running pair alike.
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
                new ExpiryRule(context, offences),
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
