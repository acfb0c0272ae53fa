package io.twinbell.node.engine.step;

/** Steps a part as long as it is not closed: soon when it is woken, else when it said so itself. */
public interface Stepper extends AutoCloseable {
    void start();

    /** Ends the current sleep, or the next one before it begins. Any thread. */
    void wake();

    /** Ends after the current step. */
    @Override
    void close();
}
