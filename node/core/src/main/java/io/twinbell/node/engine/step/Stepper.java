package io.twinbell.node.engine.step;

/** Calls a part's step repeatedly until closed: at the time that the step returned, or as soon as it is woken. */
public interface Stepper extends AutoCloseable {
    void start();

    /** Ends the current sleep, or the next one before it begins. Any thread. */
    void wake();

    /** Stops after the current step. */
    @Override
    void close();
}
