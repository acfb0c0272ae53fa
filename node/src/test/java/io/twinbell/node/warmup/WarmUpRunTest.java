package io.twinbell.node.warmup;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.twinbell.node.engine.handler.HandlerCall;
import io.twinbell.node.engine.handler.HandlerOutcome;
import io.twinbell.node.engine.handler.HandlerRunner;
import io.twinbell.node.engine.step.EngineClocks;
import io.twinbell.persistence.clock.MeasuredClock;
import io.twinbell.persistence.clock.Ticker;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

class WarmUpRunTest {
    private static final String NODE = "http://127.0.0.1:1";

    private final Map<String, Integer> calls = new ConcurrentHashMap<>();
    private final Set<String> types = ConcurrentHashMap.newKeySet();
    private final EngineClocks clocks = new EngineClocks(
            new MeasuredClock(Ticker.SYSTEM, InstantSource.system()),
            Ticker.SYSTEM,
            Ticker.UPTIME,
            InstantSource.system());
    private final AtomicBoolean isAsked = new AtomicBoolean();
    private final HandlerRunner handlers = this::called;

    private CompletableFuture<HandlerOutcome> called(HandlerCall call) {
        calls.merge(call.slot().idempotencyKey(), 1, Integer::sum);
        types.add(call.spec().getClass().getSimpleName());
        return CompletableFuture.completedFuture(HandlerOutcome.succeeded(null));
    }

    private static Set<String> enginesThreads() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> Set.of("trigger", "claimer", "recorder").contains(thread.getName()))
                .map(Thread::toString)
                .collect(Collectors.toSet());
    }

    @Test
    void it_fires_thousands_of_slots_each_once_and_leaves_nothing_behind() {
        Set<String> before = enginesThreads();
        AtomicBoolean isPlayed = new AtomicBoolean();
        try (WarmUpRun warmUp = new WarmUpRun(clocks, handlers, () -> NODE, () -> true, isAsked::get, isPlayed)) {
            await().until(() -> warmUp.step() > Duration.ofMinutes(1).toNanos());
            warmUp.step();
        }
        assertTrue(isPlayed.get());
        assertTrue(calls.size() > 1000, () -> calls.size() + " calls");
        assertEquals(Set.of(1), Set.copyOf(calls.values()));
        assertEquals(Set.of("JavaCode", "HttpCall"), types);
        assertEquals(before, enginesThreads());
    }

    @Test
    void a_process_warms_up_once() {
        try (WarmUpRun warmUp =
                new WarmUpRun(clocks, handlers, () -> NODE, () -> true, isAsked::get, new AtomicBoolean(true))) {
            assertTrue(warmUp.step() > Duration.ofMinutes(1).toNanos());
        }
        assertEquals(Map.of(), calls);
    }

    @Test
    void a_pending_promotion_goes_before_the_warm_up() {
        AtomicLong nanos = new AtomicLong();
        AtomicBoolean isPlayed = new AtomicBoolean();
        try (WarmUpRun warmUp =
                new WarmUpRun(clocksAt(nanos), handlers, () -> NODE, () -> false, isAsked::get, isPlayed)) {
            assertTrue(warmUp.step() < Duration.ofMinutes(1).toNanos());
            nanos.addAndGet(Duration.ofMillis(1999).toNanos());
            warmUp.step();
            assertFalse(isPlayed.get());
            nanos.addAndGet(Duration.ofMillis(1).toNanos());
            warmUp.step();
            assertTrue(isPlayed.get());
        }
    }

    @Test
    void it_does_not_begin_before_nobody_has_asked_for_a_while() {
        AtomicLong nanos = new AtomicLong();
        AtomicBoolean isPlayed = new AtomicBoolean();
        isAsked.set(true);
        try (WarmUpRun warmUp =
                new WarmUpRun(clocksAt(nanos), handlers, () -> NODE, () -> true, isAsked::get, isPlayed)) {
            assertTrue(warmUp.step() < Duration.ofMinutes(1).toNanos());
            isAsked.set(false);
            nanos.addAndGet(WarmUpRun.ApiActivity.GONE_AFTER.toNanos() - 1);
            warmUp.step();
            assertFalse(isPlayed.get());
            nanos.incrementAndGet();
            warmUp.step();
            assertTrue(isPlayed.get());
        }
    }

    private static EngineClocks clocksAt(AtomicLong nanos) {
        return new EngineClocks(
                new MeasuredClock(nanos::get, InstantSource.system()), nanos::get, nanos::get, InstantSource.system());
    }

    @Test
    void it_stands_still_while_somebody_waits_and_goes_on_afterwards() {
        try (WarmUpRun warmUp =
                new WarmUpRun(clocks, handlers, () -> NODE, () -> true, isAsked::get, new AtomicBoolean())) {
            warmUp.step();
            await().until(() -> calls.size() > 100);
            isAsked.set(true);
            await("what was claimed runs out")
                    .during(Duration.ofMillis(300))
                    .until(callsSinceLastLook(), made -> made == 0);
            assertTrue(calls.size() < 6000, () -> calls.size() + " calls");
            isAsked.set(false);
            await().until(() -> warmUp.step() > Duration.ofMinutes(1).toNanos());
            assertTrue(calls.size() > 10_000, () -> calls.size() + " calls");
        }
    }

    private Callable<Integer> callsSinceLastLook() {
        AtomicInteger before = new AtomicInteger();
        return () -> calls.size() - before.getAndSet(calls.size());
    }

    @Test
    void it_ends_although_somebody_waits_without_an_end() {
        AtomicLong nanos = new AtomicLong();
        Set<String> before = enginesThreads();
        try (WarmUpRun warmUp =
                new WarmUpRun(clocksAt(nanos), handlers, () -> NODE, () -> true, isAsked::get, new AtomicBoolean())) {
            warmUp.step();
            isAsked.set(true);
            nanos.addAndGet(Duration.ofMinutes(1).toNanos());
            assertTrue(warmUp.step() < Duration.ofMinutes(1).toNanos());
            nanos.incrementAndGet();
            assertTrue(warmUp.step() > Duration.ofMinutes(1).toNanos());
            assertEquals(before, enginesThreads());
        }
    }
}
