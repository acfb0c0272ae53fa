package io.twinbell.ops.drill;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** Ctrl-C stops the drill where it is, and the process stays until the drill has tidied up. */
final class Interruption implements AutoCloseable {
    private static final long TIDYING_MAY_TAKE_SECONDS = 120;

    private final Thread drill = Thread.currentThread();
    private final CountDownLatch tidied = new CountDownLatch(1);
    private final Thread hook = new Thread(this::interrupt, "drill-interruption");

    private Interruption() {}

    static Interruption expected() {
        Interruption interruption = new Interruption();
        Runtime.getRuntime().addShutdownHook(interruption.hook);
        return interruption;
    }

    private void interrupt() {
        drill.interrupt();
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
            // Then the hook is at work, and was just let go.
        }
    }
}
