package io.twinbell.spring.test;

import io.twinbell.Twinbell;
import org.springframework.context.SmartLifecycle;

/** Starts a scheduler without handlers for an application that runs no node. */
final class ClientScheduler implements SmartLifecycle {
    /** As that of the node's bean. */
    private static final int PHASE = DEFAULT_PHASE - 4096;

    private final VirtualStarter starter;
    private Twinbell running;

    ClientScheduler(VirtualStarter starter) {
        this.starter = starter;
    }

    @Override
    public void start() {
        if (running == null) {
            running = starter.startForClient();
        }
    }

    @Override
    public void stop() {
        if (running != null) {
            running.close();
            running = null;
        }
    }

    @Override
    public boolean isRunning() {
        return running != null;
    }

    @Override
    public int getPhase() {
        return PHASE;
    }
}
