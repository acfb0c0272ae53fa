package io.twinbell.lab;

import io.twinbell.tools.check.history.ReceivedCall;
import java.util.List;
import java.util.OptionalLong;

/** Measures how long nothing was called. */
final class SilenceMeter {
    private SilenceMeter() {}

    /**
     * The longest time between two calls after an instant, in milliseconds; empty if there are fewer than two calls.
     *
     * @param fromMicros a silence that began earlier counts from here
     */
    static OptionalLong longest(long fromMicros, List<ReceivedCall> calls) {
        long[] arrivals = calls.stream()
                .mapToLong(ReceivedCall::arrivedMicros)
                .filter(arrived -> arrived >= fromMicros)
                .sorted()
                .toArray();
        long longest = -1;
        long before = fromMicros;
        for (long arrived : arrivals) {
            longest = Math.max(longest, arrived - before);
            before = arrived;
        }
        return longest < 0 ? OptionalLong.empty() : OptionalLong.of(longest / 1000);
    }
}
