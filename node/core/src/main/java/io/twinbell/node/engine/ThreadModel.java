package io.twinbell.node.engine;

import io.twinbell.node.engine.step.DeadlineThread;
import io.twinbell.node.engine.step.Deadlines;
import io.twinbell.node.engine.step.StepThread;
import io.twinbell.node.engine.step.Stepper;
import io.twinbell.node.engine.worker.WorkerPool;
import io.twinbell.node.engine.worker.Workers;
import io.twinbell.node.loop.Loop;
import io.twinbell.persistence.clock.Ticker;
import java.util.function.LongSupplier;

/**
 * Creates the threads that drive the engine. A simulation replaces them: it steps every part itself, in virtual time.
 */
public interface ThreadModel {
    ThreadModel THREADS = new ThreadModel() {
        @Override
        public Stepper stepper(Loop loop, LongSupplier step) {
            return new StepThread(loop, step);
        }

        @Override
        public Workers workers(int size) {
            return new WorkerPool(size, Ticker.SYSTEM);
        }

        @Override
        public Deadlines deadlines() {
            return new DeadlineThread();
        }
    };

    /**
     * Drives a part by calling its step again and again.
     *
     * @param loop records each step
     * @param step one bounded pass; returns how long to sleep, in nanoseconds
     */
    Stepper stepper(Loop loop, LongSupplier step);

    /**
     * Creates the worker pool.
     *
     * @param size how many runs it performs at once, besides system tasks
     */
    Workers workers(int size);

    Deadlines deadlines();
}
