package io.twinbell.tools.bench;

/** Thrown if a run cannot start, or was broken off. The message is for the person at the terminal. */
public final class BenchException extends Exception {
    private static final long serialVersionUID = 1L;

    BenchException(String message) {
        super(message);
    }
}
