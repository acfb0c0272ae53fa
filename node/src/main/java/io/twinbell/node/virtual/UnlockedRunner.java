package io.twinbell.node.virtual;

import io.twinbell.node.engine.handler.HandlerCall;
import io.twinbell.node.engine.handler.HandlerOutcome;
import io.twinbell.node.engine.handler.HandlerRunner;
import io.twinbell.node.engine.task.HandlerDefinition;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Gives the lock of the tables up while a handler runs, because the handler may wait for another thread of the application
 * that enqueues a task.
 */
record UnlockedRunner(HandlerRunner runner, ReentrantLock lock) implements HandlerRunner {
    @Override
    public CompletionStage<HandlerOutcome> start(HandlerCall call) throws Exception {
        int holds = lock.getHoldCount();
        for (int i = 0; i < holds; i++) {
            lock.unlock();
        }
        try {
            return runner.start(call);
        } finally {
            for (int i = 0; i < holds; i++) {
                lock.lock();
            }
        }
    }

    @Override
    public String lacks(HandlerDefinition spec) {
        return runner.lacks(spec);
    }

    @Override
    public boolean observesOutcomes() {
        return runner.observesOutcomes();
    }

    @Override
    public void ended(HandlerCall call, HandlerOutcome outcome, Instant nextAttempt) {
        runner.ended(call, outcome, nextAttempt);
    }

    @Override
    public Duration waitForMissing() {
        return runner.waitForMissing();
    }
}
