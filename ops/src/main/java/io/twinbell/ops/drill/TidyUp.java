package io.twinbell.ops.drill;

import java.io.PrintWriter;
import java.util.ArrayDeque;
import java.util.Deque;

/** What has to be undone however a drill ends, in reverse order. */
final class TidyUp implements AutoCloseable {
    private final PrintWriter complaints;
    private final Deque<Step> steps = new ArrayDeque<>();

    private record Step(String what, Action action) {}

    @FunctionalInterface
    interface Action {
        void perform() throws Exception;
    }

    TidyUp(PrintWriter complaints) {
        this.complaints = complaints;
    }

    /** @param what completes "cannot …" */
    void afterwards(String what, Action action) {
        steps.push(new Step(what, action));
    }

    @Override
    public void close() {
        // Whoever interrupted the drill wants it to end like this, and not half way.
        Thread.interrupted();
        while (!steps.isEmpty()) {
            Step step = steps.pop();
            try {
                step.action().perform();
            } catch (Exception e) {
                complaints.println("cannot " + step.what() + ": " + e.getMessage());
                complaints.flush();
            }
        }
    }
}
