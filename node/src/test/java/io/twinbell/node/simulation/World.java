package io.twinbell.node.simulation;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.PriorityQueue;
import java.util.SplittableRandom;
import java.util.function.BooleanSupplier;

/**
 * The events of a simulation: one thread, one source of randomness, one virtual time. A step that waits for an answer
 * runs all other events inside its call, so calls are nested as on a stack. Real threads could produce every order that
 * comes about this way, because any thread may be slow to continue.
 */
final class World {
    private static final long MICRO = 1_000;
    static final long MILLI = 1_000_000;
    static final long SECOND = 1_000 * MILLI;

    final SplittableRandom random;
    final Trace trace;
    /** Exceptions of steps that no step may throw. */
    final List<String> accidents = new ArrayList<>();

    private final PriorityQueue<Event> events =
            new PriorityQueue<>(Comparator.comparingLong(Event::nanos).thenComparingLong(Event::number));
    private final Deque<SimulationActor> stack = new ArrayDeque<>();
    private final List<Event> held = new ArrayList<>();
    private long now;
    private long numbers;
    private boolean rough;

    /** @param process null for what belongs to no process */
    private record Event(long nanos, long number, Process process, SimulationActor actor, Runnable action) {}

    World(long seed) {
        random = new SplittableRandom(seed);
        trace = new Trace(this);
    }

    /** Nanoseconds since the beginning. */
    long now() {
        return now;
    }

    /** Whether threads and calls may be slow. */
    void rough(boolean on) {
        rough = on;
    }

    boolean isRough() {
        return rough;
    }

    boolean chance(double share) {
        return random.nextDouble() < share;
    }

    long between(long leastNanos, long mostNanos) {
        return mostNanos <= leastNanos ? leastNanos : random.nextLong(leastNanos, mostNanos + 1);
    }

    <T> T oneOf(List<T> all) {
        return all.get(random.nextInt(all.size()));
    }

    void after(long nanos, Runnable action) {
        add(nanos, null, null, action);
    }

    /** Does nothing if the process has died by then, and waits while the process is frozen. */
    void after(long nanos, Process process, Runnable action) {
        add(nanos, process, null, action);
    }

    void after(long nanos, SimulationActor actor, Runnable action) {
        add(nanos, actor.process(), actor, action);
    }

    private void add(long nanos, Process process, SimulationActor actor, Runnable action) {
        events.add(new Event(now + Math.max(0, nanos), numbers++, process, actor, action));
    }

    /** Draws how long a thread takes to begin. */
    long latency() {
        if (!rough) {
            return between(0, 20 * MICRO);
        }
        double luck = random.nextDouble();
        if (luck < 0.9) {
            return between(0, 100 * MICRO);
        }
        return luck < 0.995 ? between(0, 5 * MILLI) : between(0, 150 * MILLI);
    }

    /** Runs all events up to that instant. */
    void run(long untilNanos) {
        go(untilNanos, () -> false, null);
    }

    /** Makes the caller wait: runs all other events until the condition holds or the time has passed. */
    void pass(long nanos, BooleanSupplier isOver, Process waiting) {
        go(now + nanos, isOver, waiting);
        while (waiting != null && waiting.isFrozen() && !waiting.isDead()) {
            go(Long.MAX_VALUE, () -> waiting.isDead() || !waiting.isFrozen(), waiting);
        }
        if (waiting != null && waiting.isDead()) {
            throw new ProcessEnded();
        }
    }

    private void go(long until, BooleanSupplier isOver, Process waiting) {
        while (!isOver.getAsBoolean() && (waiting == null || !waiting.isDead())) {
            Event next = events.peek();
            if (next == null || next.nanos() > until) {
                if (until == Long.MAX_VALUE) {
                    throw new IllegalStateException("waits for ever");
                }
                now = Math.max(now, until);
                return;
            }
            events.poll();
            now = Math.max(now, next.nanos());
            happen(next);
        }
    }

    private void happen(Event event) {
        Process process = event.process();
        if (process != null && process.isDead()) {
            return;
        }
        boolean mustWait = process != null && process.isFrozen()
                || event.actor() != null && !event.actor().mayStep(stack);
        if (mustWait) {
            held.add(event);
            return;
        }
        try {
            event.action().run();
        } catch (ProcessEnded e) {
            trace.say(process, "ends in the middle of a step");
        } catch (RuntimeException | Error e) {
            accident(process == null ? "the world" : process.toString(), e);
        }
    }

    void accident(String where, Throwable thrown) {
        StackTraceElement[] stackTrace = thrown.getStackTrace();
        trace.say(null, "ACCIDENT in " + where + ": " + thrown);
        accidents.add(where + ": " + thrown + (stackTrace.length == 0 ? "" : " at " + stackTrace[0]));
    }

    void enter(SimulationActor actor) {
        stack.push(actor);
    }

    void leave() {
        stack.pop();
        release();
    }

    /** Tries the events again that had to wait. */
    void release() {
        if (!held.isEmpty()) {
            List<Event> again = List.copyOf(held);
            held.clear();
            events.addAll(again);
        }
    }

    int depth() {
        return stack.size();
    }

    /**
     * Whether a step of this process waits above a step of another process on the stack, which cannot continue before
     * it. A step that waits for the master's lock does not count, because it may wait a little longer.
     */
    boolean isInTheWay(Process process) {
        boolean isAbove = false;
        for (SimulationActor actor : stack) {
            isAbove |= actor.process() == process;
            boolean isHindered = actor.process() != process
                    && !actor.process().isDead()
                    && !actor.name().equals("takeover");
            if (isAbove && isHindered) {
                return true;
            }
        }
        return false;
    }
}
