package io.twinbell.tools.drill;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** Handles Ctrl-C: interrupts the work, and keeps the process until the work has cleaned up. */
public final class InterruptHandler implements AutoCloseable {
    private static final long TIDYING_MAY_TAKE_SECONDS = 120;

    private final Thread worker = Thread.currentThread();
    private final CountDownLatch tidied = new CountDownLatch(1);
    private final Thread hook = new Thread(this::interrupt, "interruption");

    private InterruptHandler() {}

    /** Installs the handler for the calling thread. */
    public static InterruptHandler expected() {
        InterruptHandler interrupts = new InterruptHandler();
        Runtime.getRuntime().addShutdownHook(interrupts.hook);
        return interrupts;
    }

    private void interrupt() {
        worker.interrupt();
        try {
            tidied.await(TIDYING_MAY_TAKE_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void close() {
        tidied.countDown();
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException shutsDownAlready) {
            // The shutdown hook is running and was released just now.
        }
    }
}
