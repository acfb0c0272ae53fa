package io.twinbell.ha.role;

import java.util.EnumSet;
import java.util.Set;

/** The role of a node in the pair. */
public enum Role {
    STOPPED,
    STANDBY,
    PROMOTING,
    MASTER,
    DEMOTING;

    Set<Role> successors() {
        return switch (this) {
            case STOPPED -> EnumSet.of(STANDBY);
            case STANDBY -> EnumSet.of(PROMOTING, STOPPED);
            case PROMOTING -> EnumSet.of(MASTER, STANDBY, DEMOTING, STOPPED);
            case MASTER -> EnumSet.of(DEMOTING);
            case DEMOTING -> EnumSet.of(STANDBY, PROMOTING, STOPPED);
        };
    }
}
