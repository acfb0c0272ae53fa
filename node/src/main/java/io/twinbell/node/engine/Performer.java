package io.twinbell.node.engine;

import io.twinbell.node.handler.Handlers;
import io.twinbell.node.handler.Outcome;
import io.twinbell.persistence.database.DatabaseClock;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.function.Consumer;

/** Takes one run from the start check to its outcome. Called by the workers. */
final class Performer {
    private static final Duration RETRY_START = Duration.ofMillis(100);
    /** How long a handler may take to react to an interrupt before its thread is given up. */
    private static final Duration GRACE = Duration.ofSeconds(1);

    private static final int ERROR_LIMIT = 8192;

    private final Gate gate;
    private final InFlight inFlight;
    private final Handlers handlers;
    private final Outcomes outcomes;
    private final DatabaseClock clock;
    private final ActionQueue actions;
    private final Deadlines deadlines;
    private volatile Consumer<Run> onStuck = run -> {};

    Performer(
            Gate gate,
            InFlight inFlight,
            Handlers handlers,
            Outcomes outcomes,
            DatabaseClock clock,
            ActionQueue actions,
            Deadlines deadlines) {
        this.gate = gate;
        this.inFlight = inFlight;
        this.handlers = handlers;
        this.outcomes = outcomes;
        this.clock = clock;
        this.actions = actions;
        this.deadlines = deadlines;
    }

    /** Who replaces the thread of a run that does not end. */
    void onStuck(Consumer<Run> replace) {
        onStuck = replace;
    }

    void perform(Run run) {
        if (!run.isWaiting()) {
            return;
        }
        switch (gate.check(run.epoch())) {
            case OPEN -> start(run);
            case SUPERSEDED -> inFlight.remove(run);
            case UNKNOWN -> startLater(run);
        }
    }

    private void startLater(Run run) {
        deadlines.after(RETRY_START, () -> actions.add(new Action.Start(List.of(run))));
    }

    private void start(Run run) {
        if (!inFlight.tryEnter(run)) {
            skipOrWait(run);
            return;
        }
        if (!run.begin(clock.nowMillis())) {
            inFlight.exit(run);
            return;
        }
        Duration timeout = run.definition().timeout();
        Future<?> deadline = timeout == null ? null : deadlines.after(timeout, () -> timeOut(run, timeout));
        call(run, deadline);
    }

    /** A slot that was promised another attempt is not skipped for the sake of a later one: it waits for it. */
    private void skipOrWait(Run run) {
        if (run.attempt().attempt() > 1) {
            startLater(run);
        } else if (run.begin(clock.nowMillis()) && run.end()) {
            outcomes.add(run, Outcome.skipped("an earlier execution of this task was still running"));
        }
    }

    /** Whatever a handler throws is its own failure and nobody else's: Errors too. */
    private void call(Run run, Future<?> deadline) {
        CompletableFuture<Outcome> future = null;
        try {
            if (run.enter(Thread.currentThread())) {
                future = handlers.start(run.call()).toCompletableFuture();
            }
        } catch (Throwable thrown) {
            future = CompletableFuture.failedFuture(thrown);
        } finally {
            run.leave(future);
        }
        if (future == null) {
            end(run, deadline, Outcome.failed("stopped before it began", null));
        } else {
            future.whenComplete((outcome, thrown) ->
                    end(run, deadline, thrown == null ? outcome : Outcome.failed(describe(thrown), null)));
        }
    }

    private void end(Run run, Future<?> deadline, Outcome outcome) {
        if (deadline != null) {
            deadline.cancel(false);
        }
        if (run.end()) {
            inFlight.exit(run);
            outcomes.add(run, outcome);
        }
    }

    private void timeOut(Run run, Duration timeout) {
        if (!run.end()) {
            return;
        }
        inFlight.exit(run);
        outcomes.add(run, Outcome.timedOut("did not end within " + timeout));
        stop(run);
    }

    /**
     * Lets go of the run without an outcome of its own and interrupts its handler: whoever asked for it settles the row.
     *
     * @return false if the run has just ended by itself
     */
    boolean giveUp(Run run) {
        if (run.handBack()) {
            inFlight.remove(run);
            return true;
        }
        if (!run.end()) {
            return false;
        }
        inFlight.exit(run);
        inFlight.remove(run);
        stop(run);
        return true;
    }

    /** Interrupts the run's handler; if it keeps its thread all the same, another takes the thread's place. */
    void stop(Run run) {
        run.stop();
        deadlines.after(GRACE, () -> {
            if (run.isOnThread()) {
                onStuck.accept(run);
                if (run.end()) {
                    inFlight.exit(run);
                    outcomes.add(run, Outcome.failed("interrupted, and the handler did not react", null));
                }
            }
        });
    }

    private static String describe(Throwable thrown) {
        if (thrown instanceof CancellationException) {
            return "interrupted";
        }
        String text = stackOf(thrown);
        return text.length() <= ERROR_LIMIT ? text : text.substring(0, ERROR_LIMIT);
    }

    /** Its message is the handler's own code, and may throw as well. */
    private static String stackOf(Throwable thrown) {
        try {
            StringWriter stack = new StringWriter();
            thrown.printStackTrace(new PrintWriter(stack));
            return stack.toString();
        } catch (RuntimeException | Error e) {
            return thrown.getClass().getName() + ", whose message cannot be read";
        }
    }
}
