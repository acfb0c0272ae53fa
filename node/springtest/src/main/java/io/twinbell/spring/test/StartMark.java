package io.twinbell.spring.test;

import io.twinbell.test.TestScheduler;

/**
 * Remembers the tasks that the application has after its start, also those that it stores when it is ready. A context may
 * serve many test classes, so this happens before the first one alone.
 */
final class StartMark {
    private final TestScheduler scheduler;
    private boolean isSet;

    StartMark(TestScheduler scheduler) {
        this.scheduler = scheduler;
    }

    synchronized void setOnce() {
        if (!isSet && scheduler.isRunning()) {
            scheduler.mark();
            isSet = true;
        }
    }
}
