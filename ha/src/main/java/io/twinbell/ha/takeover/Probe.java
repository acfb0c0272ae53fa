package io.twinbell.ha.takeover;

import java.util.UUID;

/** Asks a node, where it has recorded itself to be, which process it is. */
public interface Probe {
    Answer ask(String http, UUID incarnation);

    /** What came of asking. */
    enum Answer {
        /** The very process answered. */
        SAME,
        /** A node answered that is another process. */
        ANOTHER,
        /** The host answered that nobody listens there. */
        REFUSED,
        /** Nothing came in time, or nothing that tells who answered. */
        NONE
    }
}
