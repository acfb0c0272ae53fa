package io.twinbell.persistence.epoch;

import java.util.List;

/** Records every role change of every node. */
public interface RoleHistory {
    void record(RoleChange change);

    /** Adds a step to the entry of the promotion of {@code node} under {@code epoch}. */
    void addStep(String node, long epoch, String step, long micros);

    List<RoleChange> latest(int limit);

    /** The promotions to master, newest first. */
    List<RoleChange> promotions(int limit);
}
