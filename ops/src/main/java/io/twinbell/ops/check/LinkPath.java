package io.twinbell.ops.check;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.OptionalLong;
import java.util.function.Consumer;

/** Every fire time of a fixed delay counts from the end of a run before it, to the last. */
final class LinkPath implements Walk.Path {
    /** The end of what did not run is written a moment after the next fire time was computed from it. */
    private static final long SETTLING_MILLIS = 5000;
    /** Runs by hand end in between, and one of them may be what the next fire time counts from. */
    private static final int KEPT = 100;

    private final WalkedTask task;
    private final Now now;
    private final Consumer<Offence> offences;
    private final long delayMillis;
    private final Deque<LedgerRow> latest = new ArrayDeque<>();
    private boolean isFirst;
    private LedgerRow last;

    LinkPath(WalkedTask task, Now now, Consumer<Offence> offences) {
        this.task = task;
        this.now = now;
        this.offences = offences;
        delayMillis = task.stretch().delayMillis().orElseThrow();
        isFirst = task.stretch().beginsHere();
    }

    @Override
    public void before(LedgerRow row) {
        keep(row);
    }

    private void keep(LedgerRow row) {
        if (latest.size() == KEPT) {
            latest.removeFirst();
        }
        latest.addLast(row);
    }

    @Override
    public void row(LedgerRow row, boolean isPlanned) {
        if (isPlanned) {
            checkLink(row.slot());
            last = row;
        }
        keep(row);
    }

    private void checkLink(Slot slot) {
        if (isFirst) {
            isFirst = false;
            if (slot.fireMillis() != task.stretch().fromMillis()) {
                tell(Rule.LOST, new Slot(task.id(), task.stretch().fromMillis()), task.name());
            }
        } else if (!latest.isEmpty() && !follows(slot.fireMillis())) {
            tell(Rule.CHAIN_BROKEN, slot, "no run before it ended " + delayMillis + " ms earlier: " + task.name());
        }
    }

    private boolean follows(long fireMillis) {
        return latest.stream()
                .anyMatch(row -> row.times().endedMillis().stream()
                        .anyMatch(end -> Math.abs(fireMillis - end - delayMillis)
                                <= (row.state().saysRunEnded() ? 0 : SETTLING_MILLIS)));
    }

    @Override
    public void end() {
        OptionalLong stands = task.standsAt();
        if (stands.isPresent()) {
            if (stands.getAsLong() != task.stretch().fromMillis()) {
                checkLink(new Slot(task.id(), stands.getAsLong()));
            }
        } else if (last != null && last.times().endedMillis().isPresent()) {
            long end = last.times().endedMillis().getAsLong();
            if (now.isOld(end) && end + delayMillis < task.stretch().owedUntilMillis()) {
                tell(Rule.LOST, new Slot(task.id(), end + delayMillis), "the chain ends here: " + task.name());
            }
        }
    }

    private void tell(Rule rule, Slot slot, String detail) {
        offences.accept(new Offence(rule, slot, detail));
    }
}
