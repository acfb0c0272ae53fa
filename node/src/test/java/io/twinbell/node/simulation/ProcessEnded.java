package io.twinbell.node.simulation;

/** Unwinds the calls in which a process was when it was killed. */
final class ProcessEnded extends Error {
    private static final long serialVersionUID = 1L;

    ProcessEnded() {
        super("killed", null, false, false);
    }
}
