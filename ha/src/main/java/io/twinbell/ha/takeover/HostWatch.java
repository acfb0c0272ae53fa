package io.twinbell.ha.takeover;

import java.time.Duration;

/**
 * Checks whether the host of a node answers at all. The kernel answers even while the process collects garbage or is
 * stopped, so silence means only that the host or the network path to it is lost. One thread uses it.
 */
public interface HostWatch {
    /**
     * Sends one more probe without waiting for the answer.
     *
     * @param http the node's address; a changed address resets the watch
     * @return for how long the host has left several probes unanswered; zero if it answers, or if too few probes were
     *     sent to tell
     */
    Duration silence(String http);

    /** How long to wait before the next probe; shorter while an answer is missing. */
    Duration probeDelay();

    /** Forgets all probes. */
    void end();
}
