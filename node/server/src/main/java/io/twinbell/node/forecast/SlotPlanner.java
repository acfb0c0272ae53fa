package io.twinbell.node.forecast;

import io.twinbell.node.engine.decision.SlotDecision;
import io.twinbell.node.engine.task.Overlap;
import io.twinbell.node.engine.task.Schedule;
import io.twinbell.node.engine.task.TaskDefinition;
import io.twinbell.persistence.cluster.Pause;
import io.twinbell.persistence.ledger.ExecutionState;
import io.twinbell.persistence.ledger.claim.DecidedSlot;
import io.twinbell.persistence.task.Task;
import java.time.Duration;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/**
 * Plans the slots of one task as the engine will claim them: each one at its fire time, by {@link SlotDecision}. Runs take as
 * long as they did on average, and no handler fails.
 */
public final class SlotPlanner {
    /** After this many slots, a plan checks again whether it may go on. */
    private static final int SLOTS_BETWEEN_CHECKS = 1024;

    private final long nowMillis;
    private final long untilMillis;
    private final List<Pause> pauses;
    private final Duration retention;
    private final BooleanSupplier goesOn;

    /**
     * The plan for a slot, or for several slots that end in one row.
     *
     * @param state CLAIMED if the slot runs; otherwise the state that its row will have, such as SKIPPED
     * @param fireMillis its fire time, in milliseconds since 1970 UTC
     * @param slots how many slots the row will stand for
     * @param startMillis when the run starts, if it runs
     * @param endMillis when the run ends, if it takes as long as it did on average
     */
    public record PlannedSlot(String state, long fireMillis, long slots, long startMillis, long endMillis) {
        /** The state of a slot that runs. */
        public static final String RUNS = "CLAIMED";

        public boolean runs() {
            return state.equals(RUNS);
        }
    }

    /** Why a plan ended. */
    public enum PlanEnd {
        /** At the end of the span. */
        UNTIL,
        /** The task has no further slot. */
        FINISHED,
        /** The time for the forecast is over. */
        STOPPED
    }

    /**
     * @param nowMillis when the forecast is made
     * @param untilMillis the end of the span: a slot at this instant is not planned any more
     * @param pauses the pauses of firing that are open now
     * @param goesOn false if the forecast must end
     */
    public SlotPlanner(
            long nowMillis, long untilMillis, List<Pause> pauses, Duration retention, BooleanSupplier goesOn) {
        this.nowMillis = nowMillis;
        this.untilMillis = untilMillis;
        this.pauses = pauses;
        this.retention = retention;
        this.goesOn = goesOn;
    }

    /**
     * Plans the slots of an ACTIVE task, in the order of their fire times.
     *
     * @param runMillis how long a run takes
     */
    public PlanEnd plan(Task task, TaskDefinition definition, long runMillis, Consumer<PlannedSlot> slots) {
        TaskPlan plan = new TaskPlan(task, definition, runMillis, slots);
        int planned = 0;
        while (plan.fireMillis < untilMillis) {
            if (++planned % SLOTS_BETWEEN_CHECKS == 0 && !goesOn.getAsBoolean()) {
                return PlanEnd.STOPPED;
            }
            plan.step();
        }
        return plan.fireMillis == Schedule.NEVER ? PlanEnd.FINISHED : PlanEnd.UNTIL;
    }

    /** The planning of one task over the span. */
    private final class TaskPlan {
        private final Task task;
        private final TaskDefinition definition;
        private final long runMillis;
        private final Consumer<PlannedSlot> slots;
        private long fireMillis;
        private boolean offSchedule;
        private long runs;
        private long busyUntilMillis = Long.MIN_VALUE;

        TaskPlan(Task task, TaskDefinition definition, long runMillis, Consumer<PlannedSlot> slots) {
            this.task = task;
            this.definition = definition;
            this.runMillis = runMillis;
            this.slots = slots;
            fireMillis = task.progress().nextFireMillis().orElse(Schedule.NEVER);
            offSchedule = task.progress().offSchedule();
            runs = task.progress().runs();
        }

        void step() {
            boolean isClaimedBefore = task.progress().previousFireMillis().orElse(Long.MIN_VALUE) == fireMillis;
            DecidedSlot claim = SlotDecision.decide(
                    new SlotDecision.Due(
                            task.id(), task.version(), definition, fireMillis, offSchedule, Integer.MAX_VALUE),
                    new SlotDecision.DecisionContext(Math.max(nowMillis, fireMillis), pauses, retention)
                            .of(this::limitKeys));
            ExecutionState state = isClaimedBefore ? null : claim.entry().state();
            long endMillis = fireMillis;
            if (state == ExecutionState.CLAIMED) {
                runs++;
                endMillis = run();
            } else if (state != null) {
                slots.accept(
                        new PlannedSlot(state.name(), fireMillis, claim.entry().slots(), fireMillis, fireMillis));
            }
            offSchedule = false;
            boolean followsTheRun =
                    state == ExecutionState.CLAIMED && definition.schedule().followsTheRun();
            long next = followsTheRun ? definition.schedule().afterRun(endMillis) : claim.nextMillis();
            fireMillis = runs >= definition.maxRuns() || next == DecidedSlot.NONE ? Schedule.NEVER : next;
        }

        /** Returns when the run ends. */
        private long run() {
            boolean isBusy = Math.max(nowMillis, fireMillis) < busyUntilMillis;
            Overlap overlap = definition.overlap();
            if (isBusy && (overlap == Overlap.SKIP || overlap == Overlap.QUEUE && isQueueFull())) {
                slots.accept(new PlannedSlot(ExecutionState.SKIPPED.name(), fireMillis, 1, fireMillis, fireMillis));
                return fireMillis;
            }
            long start = Math.max(nowMillis, fireMillis);
            if (isBusy && overlap == Overlap.QUEUE) {
                start = busyUntilMillis;
            }
            long end = start + runMillis;
            busyUntilMillis = Math.max(busyUntilMillis, end);
            slots.accept(new PlannedSlot(PlannedSlot.RUNS, fireMillis, 1, start, end));
            return end;
        }

        private boolean isQueueFull() {
            long waiting = (busyUntilMillis - fireMillis - 1) / Math.max(1, runMillis);
            return waiting >= definition.queueMax();
        }

        private List<String> limitKeys() {
            return definition.limitKeys(task.content().app(), task.content().tags());
        }
    }
}
