package io.twinbell.persistence.epoch;

import java.util.List;

/** Every role change of every node, newest first. */
public interface RoleHistory {
    void record(RoleChange change);

    List<RoleChange> latest(int limit);
}
