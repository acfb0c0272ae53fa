package io.twinbell.ops.check;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The claims that a promoted server did not have when it began to take writes, because it followed asynchronously. Of the
 * calls that were made under them it cannot know, so their slots are decided again.
 */
public final class LostHistory {
    /** What a lost outcome explains: its attempt counts as left behind, though its master lives. */
    private static final Set<Rule> OF_LEFT_BEHIND = EnumSet.of(Rule.ATTEMPT_UNEXPLAINED, Rule.DROPPED_UNEXPLAINED);

    private final long promotedMicros;
    private final Map<Slot, Integer> known;
    private final Set<Slot> unfinished;

    /** One attempt of one slot. */
    public record Attempt(Slot slot, int number) {}

    /** What became of the calls that the promoted server did not know. */
    public record Loss(List<Call> calledAgain, List<Call> withoutRow, List<Call> recordedAsNotRun) {
        /** Nothing was lost. */
        public static final Loss NONE = new Loss(List.of(), List.of(), List.of());

        public Loss {
            calledAgain = List.copyOf(calledAgain);
            withoutRow = List.copyOf(withoutRow);
            recordedAsNotRun = List.copyOf(recordedAsNotRun);
        }

        /** How many calls the promoted server did not know. */
        public long calls() {
            return (long) calledAgain.size() + withoutRow.size() + recordedAsNotRun.size();
        }

        private Set<Call> all() {
            Set<Call> all = new HashSet<>(calledAgain);
            all.addAll(withoutRow);
            all.addAll(recordedAsNotRun);
            return all;
        }
    }

    /**
     * What was lost.
     *
     * @param promotedMicros when the server was promoted; the one before it had died by then
     * @param known the latest attempt of each slot whose claim the promoted server had
     * @param unfinished those of these slots whose outcome it did not have
     */
    public LostHistory(long promotedMicros, Map<Slot, Integer> known, Set<Slot> unfinished) {
        this.promotedMicros = promotedMicros;
        this.known = Map.copyOf(known);
        this.unfinished = Set.copyOf(unfinished);
    }

    /** Whether what seems to be wrong follows from the loss of an outcome. */
    public boolean explains(Offence offence) {
        return OF_LEFT_BEHIND.contains(offence.rule()) && offence.slot() != null && unfinished.contains(offence.slot());
    }

    /** Whether the promoted server could not know of a call. */
    boolean isLost(Call call) {
        return call.arrivedMicros() < promotedMicros && known.getOrDefault(call.slot(), 0) < call.attempt();
    }

    /**
     * What the loss explains: of each attempt one call, if it was made again, or if the ledger lacks it or says that it was
     * not run. A call that the ledger has after all is not among them.
     */
    public Loss explained(List<Call> calls, List<LedgerRow> rows) {
        Map<Slot, LedgerRow> bySlot = new HashMap<>();
        rows.forEach(row -> bySlot.put(row.slot(), row));
        Set<Attempt> again = calls.stream()
                .filter(call -> call.arrivedMicros() >= promotedMicros)
                .map(LostHistory::attempt)
                .collect(Collectors.toSet());
        List<Call> calledAgain = new ArrayList<>();
        List<Call> withoutRow = new ArrayList<>();
        List<Call> recordedAsNotRun = new ArrayList<>();
        Set<Attempt> seen = new HashSet<>();
        for (Call call : calls) {
            if (!isLost(call) || !seen.add(attempt(call))) {
                continue;
            }
            LedgerRow row = bySlot.get(call.slot());
            if (again.contains(attempt(call))) {
                calledAgain.add(call);
            } else if (row == null || row.claim().attempt() < call.attempt()) {
                withoutRow.add(call);
            } else if (row.claim().attempt() == call.attempt() && row.state().saysNotRun()) {
                recordedAsNotRun.add(call);
            }
        }
        return new Loss(calledAgain, withoutRow, recordedAsNotRun);
    }

    /** The calls that remain to be judged. */
    public static List<Call> without(Loss loss, List<Call> calls) {
        Set<Call> explained = loss.all();
        return calls.stream().filter(call -> !explained.contains(call)).toList();
    }

    private static Attempt attempt(Call call) {
        return new Attempt(call.slot(), call.attempt());
    }
}
