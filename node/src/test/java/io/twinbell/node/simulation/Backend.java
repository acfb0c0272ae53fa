package io.twinbell.node.simulation;

import java.util.HashSet;
import java.util.Set;

/** A database session, as the server has it. */
final class Backend {
    final int pid;
    final Process process;
    final String purpose;
    /** Rows of tasks that its statement has locked. */
    final Set<Long> tasks = new HashSet<>();
    /** It locks the epoch row, so no other session can open the next epoch. */
    boolean sharesEpoch;

    boolean ended;
    /** Its client is gone, and the server will see that when the statement is over. */
    boolean abandoned;

    /** Of the server. */
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
