package io.twinbell.lab.fault;

import io.twinbell.lab.stage.RoleAssignment;
import java.util.Locale;

/** The node that a fault strikes, by its role when the round begins. */
public enum FaultTarget {
    MASTER,
    STANDBY;

    public String of(RoleAssignment roles) {
        return this == MASTER ? roles.master() : roles.standby();
    }

    /** The target as a word, for names and sentences. */
    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }
}
