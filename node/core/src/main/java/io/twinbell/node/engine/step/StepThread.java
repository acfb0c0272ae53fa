package io.twinbell.node.engine.step;

import io.twinbell.node.loop.Loop;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;

/**
 * Runs a step in a loop on its own thread: step, then sleep as long as the step said or until woken. After an exception
 * the step is run again.
 */
public final class StepThread implements Stepper {
    private static final long AFTER_FAILURE_NANOS = TimeUnit.MILLISECONDS.toNanos(200);

    private final Loop watched;
    private final LongSupplier step;
    private final Thread thread;
    private volatile boolean stopping;
    /** The permit of {@link LockSupport} alone is not enough: a lock that a step waits for consumes it. */
    private volatile boolean woken;

    /**
     * Creates a thread with the loop's name.
     *
     * @param watched records each step, and each failure
     * @param step one bounded pass; returns how long to sleep, in nanoseconds
     */
    public StepThread(Loop watched, LongSupplier step) {
        this.watched = watched;
        this.step = step;
        thread = new Thread(this::loop, watched.name());
        thread.setDaemon(true);
    }

    @Override
    public void start() {
        thread.start();
    }

    @Override
    public void wake() {
        woken = true;
        LockSupport.unpark(thread);
    }

    private void loop() {
        while (!stopping) {
            woken = false;
            long sleep = stepSafely();
            if (sleep > 0 && !woken) {
                LockSupport.parkNanos(this, sleep);
            }
        }
    }

    private long stepSafely() {
        watched.begin();
        try {
            return step.getAsLong();
        } catch (RuntimeException | Error e) {
            watched.failed(e);
            return AFTER_FAILURE_NANOS;
        } finally {
            watched.end();
        }
    }

    /** Stops after the current step; waits for it for up to 5 s. */
    @Override
    public void close() {
        stopping = true;
        wake();
        try {
            thread.join(5000);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
