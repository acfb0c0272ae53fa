package io.twinbell.node.api.cluster;

import java.util.Map;
import java.util.Objects;

/**
 * The duration of each of the five parts of a promotion, in milliseconds. A part is null if it did not occur or is not
 * known yet.
 *
 * @param detectMillis from the old master's last sign of life until its loss was certain
 * @param latchMillis until the new master held the latch
 * @param fenceMillis until the next epoch was open; includes a handover that the old master was asked for
 * @param rebuildMillis until the first page of the task heap was loaded
 * @param firstFireMillis until the first handler started; counted from its fire time if that came later
 */
public record PromotionTimings(
        Double detectMillis, Double latchMillis, Double fenceMillis, Double rebuildMillis, Double firstFireMillis) {

    /** Returns the timings of a promotion from the steps in the role history. */
    public static PromotionTimings of(Map<String, Long> stepMicros) {
        Long fence = stepMicros.get("fence");
        return new PromotionTimings(
                millis(stepMicros.get("detect")),
                millis(stepMicros.get("latch")),
                millis(fence == null ? null : fence + stepMicros.getOrDefault("hand-over", 0L)),
                millis(stepMicros.get("rebuild")),
                millis(stepMicros.get("first fire")));
    }

    private static Double millis(Long micros) {
        return micros == null ? null : Double.valueOf(Math.round(micros / 100.0) / 10.0);
    }

    /** The sum of the known parts. */
    public double total() {
        double sum =
                or0(detectMillis) + or0(latchMillis) + or0(fenceMillis) + or0(rebuildMillis) + or0(firstFireMillis);
        return Math.round(sum * 10) / 10.0;
    }

    private static double or0(Double part) {
        return Objects.requireNonNullElse(part, 0.0);
    }
}
