package io.twinbell.node.virtual;

import io.twinbell.node.engine.Engine;
import io.twinbell.node.engine.EngineBounds;
import io.twinbell.node.engine.EngineListener;
import io.twinbell.node.engine.EnginePorts;
import io.twinbell.node.engine.ThreadModel;
import io.twinbell.node.engine.handler.HandlerRunner;
import io.twinbell.node.engine.run.EngineMetrics;
import io.twinbell.node.engine.run.Run;
import io.twinbell.node.engine.step.Deadlines;
import io.twinbell.node.engine.step.EngineClocks;
import io.twinbell.node.engine.step.Stepper;
import io.twinbell.node.engine.worker.Workers;
import io.twinbell.node.loop.Loop;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.function.Consumer;
import java.util.function.LongConsumer;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * Drives an engine without threads: an implementation steps every part, for example in virtual time. Handlers run on the
 * thread that steps.
 */
public interface Steps {
    /** A part that is stepped again and again. */
    interface SteppedLoop {
        void start();

        void wake();

        void close();
    }

    /** @param step one bounded pass; returns how long to sleep, in nanoseconds */
    SteppedLoop loop(String name, LongSupplier step);

    /** Runs the action once, after the delay. */
    void later(Duration delay, Runnable action);

    /** An engine that these steps drive. */
    default Engine engine(
            EnginePorts ports,
            EngineBounds bounds,
            EngineClocks clocks,
            HandlerRunner handlers,
            EngineMetrics metrics,
            EngineListener listener) {
        return new Engine(ports, bounds, clocks, handlers, metrics, listener, new SteppedDrive(this));
    }

    /** Adapts the steps to the threads that an engine expects. */
    final class SteppedDrive implements ThreadModel {
        private final Steps steps;

        SteppedDrive(Steps steps) {
            this.steps = steps;
        }

        @Override
        public Stepper stepper(Loop watched, LongSupplier step) {
            SteppedLoop loop = steps.loop(watched.name(), step);
            return new Stepper() {
                @Override
                public void start() {
                    loop.start();
                }

                @Override
                public void wake() {
                    loop.wake();
                }

                @Override
                public void close() {
                    loop.close();
                }
            };
        }

        @Override
        public Workers workers(int size) {
            return new SteppedWorkers(steps, size);
        }

        @Override
        public Deadlines deadlines() {
            return new Deadlines() {
                private boolean closed;

                @Override
                public Future<?> after(Duration delay, Runnable action) {
                    CompletableFuture<Void> done = new CompletableFuture<>();
                    steps.later(delay, () -> {
                        if (!closed && !done.isCancelled()) {
                            action.run();
                        }
                    });
                    return done;
                }

                @Override
                public void close() {
                    closed = true;
                }
            };
        }
    }

    /** Workers that are stepped: each takes one run a step. */
    final class SteppedWorkers implements Workers {
        private static final long FOREVER = Duration.ofHours(1).toNanos();

        private final Deque<Run> queue = new ArrayDeque<>();
        private final List<Run> prepared = new ArrayList<>();
        private final Deque<Long> systemQueue = new ArrayDeque<>();
        private final Steps steps;
        private final SteppedLoop[] workers;
        private SteppedLoop system;
        private int next;

        SteppedWorkers(Steps steps, int size) {
            this.steps = steps;
            workers = new SteppedLoop[size];
        }

        private static <T> long step(Deque<T> queue, Consumer<T> perform) {
            T taken = queue.poll();
            if (taken != null) {
                perform.accept(taken);
            }
            return queue.isEmpty() ? FOREVER : 0;
        }

        @Override
        public void start(Supplier<Consumer<Run>> perform, LongConsumer performSystem) {
            for (int i = 0; i < workers.length; i++) {
                Consumer<Run> own = perform.get();
                workers[i] = steps.loop("worker-" + (i + 1), () -> step(queue, own));
                workers[i].start();
            }
            system = steps.loop("worker-system", () -> step(systemQueue, performSystem::accept));
            system.start();
        }

        @Override
        public void run(List<Run> runs) {
            for (Run run : runs) {
                if (run.isWaiting()) {
                    queue.add(run);
                    workers[next++ % workers.length].wake();
                }
            }
        }

        @Override
        public void prepare(List<Run> runs) {
            prepared.addAll(runs);
        }

        @Override
        public void runPrepared() {
            run(prepared);
            prepared.clear();
        }

        @Override
        public void system(long systemTaskId) {
            if (!systemQueue.contains(systemTaskId)) {
                systemQueue.add(systemTaskId);
                system.wake();
            }
        }

        @Override
        public void forgetHandedBack() {
            queue.removeIf(run -> !run.isWaiting());
        }

        /** Handlers run on the thread that steps, so no handler can still be running when this is called. */
        @Override
        public boolean replaceWorkerOf(Run run) {
            return true;
        }

        @Override
        public int abandoned() {
            return 0;
        }

        @Override
        public int size() {
            return workers.length;
        }

        @Override
        public int active() {
            return 0;
        }

        @Override
        public int queued() {
            return queue.size();
        }

        @Override
        public void stop() {
            for (SteppedLoop worker : workers) {
                worker.close();
            }
            system.close();
        }
    }
}
