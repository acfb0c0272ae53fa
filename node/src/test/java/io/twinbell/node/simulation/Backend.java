package io.twinbell.node.simulation;

import java.util.HashSet;
import java.util.Set;

/** A database session on the server's side. */
final class Backend {
    final int pid;
    final Process process;
    final String purpose;
    /** The tasks whose rows its statement has locked. */
    final Set<Long> tasks = new HashSet<>();
    /** Whether it locks the epoch row, so that no other session can open the next epoch. */
    boolean sharesEpoch;

    boolean ended;
    /** Whether its client is gone. The server notices that when the statement has ended. */
    boolean abandoned;

    /** The timeline of its server. */
    int timeline = 1;

    int statements;
    long spokeNanos;

    Backend(int pid, Process process, String purpose) {
        this.pid = pid;
        this.process = process;
        this.purpose = purpose;
    }

    @Override
    public String toString() {
        return process + "/" + purpose + "#" + pid;
    }
}
