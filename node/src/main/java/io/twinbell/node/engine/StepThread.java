package io.twinbell.node.engine;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The loop around a step: step, sleep as long as it said, be woken early. A step that throws is stepped again. */
public final class StepThread implements Stepper {
    private static final Logger LOG = LoggerFactory.getLogger(StepThread.class);
    private static final long AFTER_FAILURE_NANOS = TimeUnit.MILLISECONDS.toNanos(200);

    private final LongSupplier step;
    private final Thread thread;
    private volatile boolean stopping;
    /** The permit of {@link LockSupport} alone is not enough: a lock that a step waits for uses it up. */
    private volatile boolean woken;

    /** @param step one bounded pass; returns how long to sleep, in nanoseconds */
    public StepThread(String name, LongSupplier step) {
        this.step = step;
        thread = new Thread(this::loop, name);
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
        try {
            return step.getAsLong();
        } catch (RuntimeException | Error e) {
            LOG.error("a step of {} failed; it goes on", thread.getName(), e);
            return AFTER_FAILURE_NANOS;
        }
    }

    /** Ends after the current step; waits for it for up to 5 s. */
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
