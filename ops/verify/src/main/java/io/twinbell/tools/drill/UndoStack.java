package io.twinbell.tools.drill;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.Consumer;

/** Actions that must be undone however a drill ends, in reverse order. */
public final class UndoStack implements AutoCloseable {
    private final Consumer<String> complaints;
    private final Deque<Step> steps = new ArrayDeque<>();

    private record Step(String what, Action action) {}

    @FunctionalInterface
    public interface Action {
        void perform() throws Exception;
    }

    public UndoStack(Consumer<String> complaints) {
        this.complaints = complaints;
    }

    /** @param what completes "cannot …" */
    public void add(String what, Action action) {
        steps.push(new Step(what, action));
    }

    @Override
    public void close() {
        // An interrupt must not stop the clean-up halfway.
        Thread.interrupted();
        while (!steps.isEmpty()) {
            Step step = steps.pop();
            try {
                step.action().perform();
            } catch (Exception e) {
                complaints.accept("cannot " + step.what() + ": " + e.getMessage());
            }
        }
    }
}
