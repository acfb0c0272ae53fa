package io.twinbell.ha.takeover;

import java.util.UUID;

/** Asks a node, at its recorded address, which process it is. */
public interface Probe {
    Answer ask(String http, UUID incarnation);

    /** The result of a probe. */
    enum Answer {
        /** The expected process answered. */
        SAME,
        /** A node answered, but it is another process. */
        ANOTHER,
        /** The host refused the connection: no process listens there. */
        REFUSED,
        /** No answer came in time, or the answer did not identify the process. */
        NONE
    }
}
