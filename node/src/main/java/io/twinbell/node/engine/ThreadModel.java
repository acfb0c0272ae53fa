package io.twinbell.node.engine;

import io.twinbell.node.engine.run.Run;
import io.twinbell.node.engine.step.DeadlineThread;
import io.twinbell.node.engine.step.Deadlines;
import io.twinbell.node.engine.step.StepThread;
import io.twinbell.node.engine.step.Stepper;
import io.twinbell.node.engine.worker.WorkerPool;
import io.twinbell.node.engine.worker.Workers;
import io.twinbell.node.loop.Loop;
import io.twinbell.persistence.database.Ticker;
import java.util.function.Consumer;
import java.util.function.LongConsumer;
import java.util.function.LongPredicate;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/** What makes the engine go. In a node these are threads; a simulation steps every part itself, in virtual time. */
interface ThreadModel {
    ThreadModel THREADS = new ThreadModel() {
        @Override
        public Stepper stepper(Loop loop, LongSupplier step) {
            return new StepThread(loop, step);
        }

        @Override
        public Workers workers(int size, Supplier<Consumer<Run>> perform, LongConsumer performSystem) {
            return new WorkerPool(size, perform, performSystem, Ticker.SYSTEM);
        }

        @Override
        public Deadlines deadlines() {
            return new DeadlineThread();
        }

        @Override
        public LongPredicate memory() {
            return EdenSpace.ofThisProcess()::makeRoom;
        }
    };

    /**
     * A part that is stepped again and again.
     *
     * @param loop is told of each step
     * @param step one bounded pass; returns how long to sleep, in nanoseconds
     */
    Stepper stepper(Loop loop, LongSupplier step);

    /**
     * The workers.
     *
     * @param size how many runs they perform at once, besides system tasks
     * @param perform asked once for each worker
     */
    Workers workers(int size, Supplier<Consumer<Run>> perform, LongConsumer performSystem);

    Deadlines deadlines();

    /**
     * Makes sure that so many bytes can be made without a collection, and answers whether it took one; does nothing where
     * that holds nobody up.
     */
    default LongPredicate memory() {
        return bytes -> false;
    }
}
