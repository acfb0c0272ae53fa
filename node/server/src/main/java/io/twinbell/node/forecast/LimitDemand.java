package io.twinbell.node.forecast;

import io.twinbell.node.forecast.SlotPlanner.PlannedSlot;
import io.twinbell.persistence.limit.RunLimit;
import java.util.Optional;

/** The demand on one limit: how many runs would run at once, or start within its time, if there were no limit. */
final class LimitDemand {
    private final RunLimit limit;
    private final long fromMillis;
    private final long stepMillis;
    /** Runs that begin minus runs that have ended, by step. */
    private final int[] change;

    private final int[] starts;

    /**
     * Where demand exceeds a limit.
     *
     * @param most the most runs at once, or starts within the time of a rate
     * @param bindingMillis for how long demand exceeds the limit
     */
    record ExceededLimit(
            RunLimit limit, boolean isRate, long firstMillis, long peakMillis, long most, long bindingMillis) {}

    LimitDemand(RunLimit limit, long fromMillis, long untilMillis, long stepMillis) {
        this.limit = limit;
        this.fromMillis = fromMillis;
        this.stepMillis = stepMillis;
        int steps = (int) ((untilMillis - fromMillis + stepMillis - 1) / stepMillis);
        change = new int[steps + 1];
        starts = new int[steps];
    }

    void add(PlannedSlot run) {
        int first = step(run.startMillis());
        if (first >= starts.length) {
            return;
        }
        int end = step(run.endMillis() + stepMillis - 1);
        change[first]++;
        change[Math.max(first + 1, end)]--;
        starts[first]++;
    }

    private int step(long millis) {
        return (int) Math.max(0, Math.min(change.length - 1, (millis - fromMillis) / stepMillis));
    }

    Optional<ExceededLimit> running() {
        return limit.maxRunning() == RunLimit.UNLIMITED ? Optional.empty() : exceeded(false, limit.maxRunning(), 0);
    }

    /** A rate in a time shorter than a step cannot be judged. */
    Optional<ExceededLimit> rate() {
        if (limit.rate() == null || limit.rate().per().toMillis() < stepMillis) {
            return Optional.empty();
        }
        return exceeded(true, limit.rate().max(), (int) (limit.rate().per().toMillis() / stepMillis));
    }

    private Optional<ExceededLimit> exceeded(boolean isRate, long allowed, int window) {
        long demand = 0;
        long most = 0;
        long first = Long.MAX_VALUE;
        long peak = fromMillis;
        long binding = 0;
        for (int step = 0; step < starts.length; step++) {
            demand += isRate ? starts[step] - (step >= window ? starts[step - window] : 0) : change[step];
            long at = fromMillis + step * stepMillis;
            if (demand > allowed) {
                first = Math.min(first, at);
                binding += stepMillis;
            }
            peak = demand > most ? at : peak;
            most = Math.max(most, demand);
        }
        return most > allowed
                ? Optional.of(new ExceededLimit(limit, isRate, first, peak, most, binding))
                : Optional.empty();
    }
}
