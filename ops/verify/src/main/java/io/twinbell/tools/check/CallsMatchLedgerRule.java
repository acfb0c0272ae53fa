package io.twinbell.tools.check;

import io.twinbell.tools.check.history.CheckedSlot;
import io.twinbell.tools.check.history.History;
import io.twinbell.tools.check.history.LedgerRow;
import io.twinbell.tools.check.history.ReceivedCall;
import io.twinbell.tools.check.history.WatchedTask;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.function.Consumer;

/** Rule: the calls that the receiver saw match the ledger. */
final class CallsMatchLedgerRule {
    /** Instants in the ledger come from the database's clock, rounded up to the next whole millisecond. */
    private static final long ROUNDED_UP_MILLIS = 1;

    private final History history;
    private final Map<Long, WatchedTask> tasks;
    private final Map<CheckedSlot, List<ReceivedCall>> calls;
    private final DoubtRule doubtRule;
    private final Consumer<Violation> violations;

    private CallsMatchLedgerRule(History history, Consumer<Violation> offences) {
        this.history = history;
        this.tasks = history.tasksById();
        this.calls = history.callsBySlot();
        this.doubtRule = new DoubtRule(history);
        this.violations = offences;
    }

    static void check(History history, Consumer<Violation> offences) {
        CallsMatchLedgerRule calls = new CallsMatchLedgerRule(history, offences);
        Map<CheckedSlot, LedgerRow> rows = new HashMap<>();
        for (LedgerRow row : history.rows()) {
            rows.put(row.slot(), row);
            calls.checkRow(row);
        }
        calls.calls.forEach((slot, ofSlot) -> {
            calls.checkSlot(slot, ofSlot);
            calls.checkKnown(slot, ofSlot, rows.get(slot));
        });
    }

    /**
     * Checks each call against its slot's row. If the ledger lost its latest commits, it may have the slot, but no
     * longer the claim under which the call was made.
     */
    private void checkKnown(CheckedSlot slot, List<ReceivedCall> made, LedgerRow row) {
        List<ReceivedCall> unexplained =
                made.stream().filter(call -> !doubtRule.explain(call)).toList();
        if (row == null) {
            unexplained.stream()
                    .filter(call -> !doubtRule.hasUnknownFireTime(call))
                    .findFirst()
                    .ifPresent(call -> report(Rule.CALL_WITHOUT_ROW, slot, "attempt " + call.attempt()));
            return;
        }
        LedgerRow.LatestClaim claim = row.claim();
        for (ReceivedCall call : unexplained) {
            if (call.attempt() > claim.attempt()) {
                report(
                        Rule.CALL_WITHOUT_ROW,
                        slot,
                        "attempt " + call.attempt() + ", but the ledger has only " + claim.attempt());
            } else if (belongsToOtherClaim(call, claim) && isOnlyCall(call, made)) {
                report(
                        Rule.CALL_WITHOUT_ROW,
                        slot,
                        "attempt " + call.attempt() + " under epoch " + call.epoch()
                                + ", but the ledger has it under epoch " + claim.epoch());
            }
        }
    }

    private static boolean belongsToOtherClaim(ReceivedCall call, LedgerRow.LatestClaim claim) {
        return call.attempt() == claim.attempt() && claim.isMade() && call.epoch() != claim.epoch();
    }

    /** Whether the attempt was called once. If it was called twice, CALLED_TWICE reports it more precisely. */
    private static boolean isOnlyCall(ReceivedCall call, List<ReceivedCall> made) {
        return made.stream().filter(other -> other.attempt() == call.attempt()).count() == 1;
    }

    private void checkRow(LedgerRow row) {
        int attempt = row.claim().attempt();
        List<ReceivedCall> made = calls.getOrDefault(row.slot(), List.of()).stream()
                .filter(call -> call.attempt() == attempt)
                .toList();
        if (row.state() == LedgerRow.State.SUCCEEDED
                && made.stream().noneMatch(call -> call.epoch() == row.claim().epoch())) {
            report(
                    Rule.SUCCESS_WITHOUT_CALL,
                    row.slot(),
                    "attempt " + attempt + " under epoch " + row.claim().epoch());
        }
        made.stream()
                .filter(call -> isBeforeItsClaim(call, row.claim()))
                .forEach(call -> report(
                        Rule.CALLED_UNCLAIMED,
                        row.slot(),
                        "attempt " + attempt + " was called before the claim of epoch " + call.epoch()
                                + " was in the ledger"));
        calls.getOrDefault(row.slot(), List.of()).stream()
                .filter(call -> isAfterItsEnd(call, row) && !history.mayBeLate(call))
                .forEach(call -> report(
                        Rule.CALLED_LATE,
                        row.slot(),
                        "attempt " + call.attempt() + " was called after it was settled: attempt " + attempt + " is "
                                + row.state()));
        if (row.state().saysNotRun() && !made.stream().allMatch(doubtRule::explain)) {
            report(Rule.CALL_OF_UNRUN, row.slot(), "attempt " + attempt + " is " + row.state());
        }
    }

    private static boolean isBeforeItsClaim(ReceivedCall call, LedgerRow.LatestClaim claim) {
        return call.epoch() == claim.epoch()
                && claim.atMillis().isPresent()
                && call.arrivedMicros() <= (claim.atMillis().getAsLong() - ROUNDED_UP_MILLIS) * 1000;
    }

    /** Whether the call came after its attempt was dropped, or after a later attempt was claimed. */
    private static boolean isAfterItsEnd(ReceivedCall call, LedgerRow row) {
        OptionalLong settled = call.attempt() < row.claim().attempt()
                ? row.claim().atMillis()
                : row.state() == LedgerRow.State.DROPPED ? row.times().endedMillis() : OptionalLong.empty();
        return settled.isPresent() && call.arrivedMicros() / 1000 > settled.getAsLong();
    }

    private void checkSlot(CheckedSlot slot, List<ReceivedCall> made) {
        WatchedTask task = tasks.get(slot.taskId());
        Map<Integer, ReceivedCall> byAttempt = new HashMap<>();
        for (ReceivedCall call : made) {
            ReceivedCall before = byAttempt.put(call.attempt(), call);
            if (before != null && !isRunAgain(task, before, call)) {
                report(
                        Rule.CALLED_TWICE,
                        slot,
                        "attempt " + call.attempt() + " under the epochs " + before.epoch() + " and " + call.epoch());
            }
            if (call.latenessMicros() < 0) {
                report(Rule.EARLY, slot, "called " + -call.latenessMicros() + " us before its fire time");
            }
            if (call.beside() > 0
                    && task != null
                    && !task.policies().overlaps()
                    && call.beside() > history.countOtherLateCalls(call)) {
                report(Rule.RAN_BESIDE, slot, "attempt " + call.attempt() + " beside " + call.beside());
            }
        }
        if (byAttempt.size() > 1) {
            checkAgain(slot, task, made);
        }
    }

    /**
     * Whether the same attempt may have run twice. A slot in doubt of a task that reruns orphans runs again under the
     * same key, and its lost attempt is not counted.
     */
    private boolean isRunAgain(WatchedTask task, ReceivedCall before, ReceivedCall call) {
        return task != null
                && task.policies().reruns()
                && before.epoch() != call.epoch()
                && (doubtRule.explain(before) || doubtRule.explain(call));
    }

    /** Checks that each further attempt is a retry, or belongs to a later epoch and to a task that reruns orphans. */
    private void checkAgain(CheckedSlot slot, WatchedTask task, List<ReceivedCall> made) {
        long epochs = made.stream().mapToLong(ReceivedCall::epoch).distinct().count();
        long attempts = made.stream().mapToInt(ReceivedCall::attempt).distinct().count();
        int retries = task == null ? 0 : task.policies().maxAttempts() - 1;
        if (task != null && !task.policies().reruns() && attempts > 1 + retries) {
            report(Rule.ATTEMPT_UNEXPLAINED, slot, attempts + " attempts of a task that drops orphans");
        } else if (epochs + retries < attempts) {
            report(Rule.ATTEMPT_UNEXPLAINED, slot, attempts + " attempts under " + epochs + " epochs");
        }
    }

    private void report(Rule rule, CheckedSlot slot, String detail) {
        violations.accept(new Violation(rule, slot, detail));
    }
}
