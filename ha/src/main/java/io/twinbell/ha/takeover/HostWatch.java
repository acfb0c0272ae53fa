package io.twinbell.ha.takeover;

import java.time.Duration;

/**
 * Whether the host of a node answers at all. Its kernel does so even while the process collects garbage or stands still, so
 * silence tells of a lost host or a lost way to it and of nothing else. One thread uses it.
 */
public interface HostWatch {
    /**
     * Asks once more and does not wait.
     *
     * @param http where the node is; with another address than the last time, everything begins anew
     * @return for how long the host has left several questions without an answer; zero if it answers, or if too few questions
     *     were sent to tell
     */
    Duration silence(String http);

    /** How long to wait before asking again: less while an answer is missing. */
    Duration pause();

    /** Forgets what was asked. */
    void end();
}
