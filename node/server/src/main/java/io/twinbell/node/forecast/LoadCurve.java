package io.twinbell.node.forecast;

import io.twinbell.persistence.task.TaskName;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/** Counts the runs of a span by minute, and within a minute by second. */
final class LoadCurve {
    private static final int MAX_NAMED = 5;
    private static final long SECOND = 1000;
    private static final int SECONDS_A_MINUTE = 60;

    private final long fromMillis;
    private final int[] bySecond;
    private final int[] byMinute;
    private final Map<Integer, List<TaskName>> names = new HashMap<>();

    /** A minute and its load. */
    record BusyMinute(long atMillis, int runs, long peakMillis, int peakRuns, List<TaskName> first) {}

    LoadCurve(long fromMillis, long untilMillis) {
        this.fromMillis = fromMillis;
        int seconds = (int) ((untilMillis - fromMillis + SECOND - 1) / SECOND);
        bySecond = new int[seconds];
        byMinute = new int[seconds / SECONDS_A_MINUTE + 1];
    }

    void count(TaskName task, long fireMillis) {
        int second = (int) ((fireMillis - fromMillis) / SECOND);
        int minute = second / SECONDS_A_MINUTE;
        bySecond[second]++;
        byMinute[minute]++;
        List<TaskName> first = names.computeIfAbsent(minute, any -> new ArrayList<>(1));
        if (first.size() < MAX_NAMED && !first.contains(task)) {
            first.add(task);
        }
    }

    /** The minutes with most runs, the busiest first. */
    List<BusyMinute> busiest(int most) {
        return IntStream.range(0, byMinute.length)
                .filter(minute -> byMinute[minute] > 0)
                .boxed()
                .sorted(Comparator.comparingInt((Integer minute) -> -byMinute[minute])
                        .thenComparingInt(minute -> minute))
                .limit(most)
                .map(this::minute)
                .toList();
    }

    private BusyMinute minute(int minute) {
        int peak = minute * SECONDS_A_MINUTE;
        int end = Math.min(bySecond.length, peak + SECONDS_A_MINUTE);
        for (int second = peak; second < end; second++) {
            peak = bySecond[second] > bySecond[peak] ? second : peak;
        }
        return new BusyMinute(
                fromMillis + minute * SECONDS_A_MINUTE * SECOND,
                byMinute[minute],
                fromMillis + peak * SECOND,
                bySecond[peak],
                List.copyOf(names.get(minute)));
    }

    /** The runs of each hour of the span. */
    int[] byHour() {
        int[] hours = new int[(byMinute.length + SECONDS_A_MINUTE - 1) / SECONDS_A_MINUTE];
        for (int minute = 0; minute < byMinute.length; minute++) {
            hours[minute / SECONDS_A_MINUTE] += byMinute[minute];
        }
        return hours;
    }
}
