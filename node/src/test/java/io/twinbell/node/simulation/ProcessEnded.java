package io.twinbell.node.simulation;

/** Unwinds what a process was at when it was killed. */
final class ProcessEnded extends Error {
    private static final long serialVersionUID = 1L;

    ProcessEnded() {
        super("killed", null, false, false);
    }
}
