package io.twinbell.node.engine;

import io.twinbell.node.engine.run.Run;
import io.twinbell.node.engine.step.DeadlineThread;
import io.twinbell.node.engine.step.Deadlines;
import io.twinbell.node.engine.step.Stepper;
import io.twinbell.node.engine.worker.Workers;
import io.twinbell.node.loop.Loop;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.IntSupplier;
import java.util.function.LongConsumer;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/** A thread model without threads: a test steps the parts of an engine itself. */
final class SteppedThreads implements ThreadModel {
    private final IntSupplier busyWorkers;

    /** @param busyWorkers how many of its two workers are busy */
    SteppedThreads(IntSupplier busyWorkers) {
        this.busyWorkers = busyWorkers;
    }

    @Override
    public Stepper stepper(Loop loop, LongSupplier step) {
        return new Stepper() {
            @Override
            public void start() {}

            @Override
            public void wake() {}

            @Override
            public void close() {}
        };
    }

    @Override
    public Workers workers(int size) {
        return new HandWorkers();
    }

    @Override
    public Deadlines deadlines() {
        return new DeadlineThread();
    }

    /** Handlers run at once, on the thread that steps the trigger. */
    private final class HandWorkers implements Workers {
        private Consumer<Run> perform;

        @Override
        public void start(Supplier<Consumer<Run>> performs, LongConsumer performSystem) {
            perform = performs.get();
        }

        @Override
        public void run(List<Run> runs) {
            List.copyOf(runs).forEach(perform);
        }

        @Override
        public void prepare(List<Run> runs) {
            throw new AssertionError("no crowd is due here");
        }

        @Override
        public void runPrepared() {
            throw new AssertionError("no crowd is due here");
        }

        /** Does nothing, because tests settle by hand. */
        @Override
        public void system(long id) {}

        @Override
        public void forgetHandedBack() {}

        @Override
        public boolean replaceWorkerOf(Run run) {
            return true;
        }

        @Override
        public int size() {
            return 2;
        }

        @Override
        public int active() {
            return busyWorkers.getAsInt();
        }

        @Override
        public int queued() {
            return 0;
        }

        @Override
        public int abandoned() {
            return 0;
        }

        @Override
        public void stop() {}
    }
}
