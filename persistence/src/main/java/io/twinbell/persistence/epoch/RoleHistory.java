package io.twinbell.persistence.epoch;

import java.util.List;

/** Every role change of every node, newest first. */
public interface RoleHistory {
    void record(RoleChange change);

    /** Adds a step to the entry of the change by which {@code node} became master under {@code epoch}. */
    void addStep(String node, long epoch, String step, long micros);

    List<RoleChange> latest(int limit);

    /** The changes by which a node became master, newest first. */
    List<RoleChange> promotions(int limit);
}
