package io.twinbell.node.simulation;

import io.twinbell.node.engine.handler.HandlerCall;
import io.twinbell.node.engine.handler.HandlerOutcome;
import io.twinbell.persistence.ledger.Slot;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/** The receiver that the tasks call: records each call, waits, and answers. */
final class SimulatedReceiver {
    private final World world;
    private final SimulatedDatabase database;
    private final Map<Long, Habit> habits;
    private final List<Arrival> arrivals = new ArrayList<>();
    private final Set<Arrival> unanswered = new LinkedHashSet<>();

    /**
     * How the calls of a task behave.
     *
     * @param mostNanos the longest duration of a call
     * @param shareFailed the share of calls that fail
     */
    record Habit(long mostNanos, double shareFailed) {}

    /** A received call, in true time and by the database's clock. */
    record Arrival(Process from, Slot slot, int attempt, long epoch, long nanos, long databaseMicros, int beside) {}

    SimulatedReceiver(World world, SimulatedDatabase database, Map<Long, Habit> habits) {
        this.world = world;
        this.database = database;
        this.habits = habits;
    }

    List<Arrival> arrivals() {
        return arrivals;
    }

    CompletableFuture<HandlerOutcome> call(Process from, HandlerCall call) {
        long epoch = call.epoch().number();
        Arrival arrival = new Arrival(from, call.slot(), call.attempt(), epoch, world.now(), database.nowMicros(), (int)
                unanswered.stream().filter(other -> counts(other, call)).count());
        arrivals.add(arrival);
        unanswered.add(arrival);
        world.trace.say(
                from,
                "CALLS " + call.slot().taskId() + "@"
                        + SimulatedLedger.time(call.slot().fireTimeMillis()) + "/" + call.attempt() + " under epoch "
                        + epoch);
        CompletableFuture<HandlerOutcome> answer = new CompletableFuture<>();
        answer.whenComplete((outcome, thrown) -> unanswered.remove(arrival));
        Habit habit = habits.get(call.slot().taskId());
        boolean fails = world.chance(habit.shareFailed());
        long takes = world.chance(0.8) ? world.between(0, habit.mostNanos() / 20) : world.between(0, habit.mostNanos());
        world.after(takes, () -> answer(from, arrival, answer, fails));
        return answer;
    }

    /** Answers a call. A frozen caller gets the answer when it continues. */
    private void answer(Process from, Arrival arrival, CompletableFuture<HandlerOutcome> answer, boolean fails) {
        unanswered.remove(arrival);
        world.after(
                0,
                from,
                () -> answer.complete(
                        fails ? HandlerOutcome.failed("SAID_NO", "said no", null) : HandlerOutcome.succeeded(null)));
    }

    /**
     * Whether two calls of a task count as simultaneous. A caller that was superseded without learning of it may still
     * make its last calls, which nobody can prevent.
     */
    private boolean counts(Arrival other, HandlerCall call) {
        long drainsUntil = database.tables.epoch.drainMillis.getOrDefault(other.epoch(), 0L);
        boolean isKnown = other.epoch() == call.epoch().number() || drainsUntil > database.nowMillis();
        return other.slot().taskId() == call.slot().taskId() && isKnown;
    }

    void hangUp(Process from) {
        unanswered.removeIf(arrival -> arrival.from() == from);
    }
}
