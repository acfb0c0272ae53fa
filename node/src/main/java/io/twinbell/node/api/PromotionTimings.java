package io.twinbell.node.api;

import java.util.Map;
import java.util.Objects;

/**
 * The way to a new master in its five parts, in milliseconds; null for a part that was none of it, or is not known yet.
 *
 * @param detectMillis from the old master's last sign of life until it was clear that it is gone
 * @param latchMillis until the latch had passed on
 * @param fenceMillis until the next epoch was open, an owner that was asked to hand over included
 * @param rebuildMillis until the first page of the heap was in
 * @param firstFireMillis until the first handler started, or from its fire time on if that came later
 */
public record PromotionTimings(
        Double detectMillis, Double latchMillis, Double fenceMillis, Double rebuildMillis, Double firstFireMillis) {

    /** The parts of a promotion whose steps the role history has. */
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

    /** What of it is known, together. */
    public double total() {
        double sum =
                or0(detectMillis) + or0(latchMillis) + or0(fenceMillis) + or0(rebuildMillis) + or0(firstFireMillis);
        return Math.round(sum * 10) / 10.0;
    }

    private static double or0(Double part) {
        return Objects.requireNonNullElse(part, 0.0);
    }
}
