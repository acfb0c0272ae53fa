package io.twinbell.tools.drill.fault;

import io.twinbell.tools.drill.stage.RoleAssignment;
import java.util.Locale;

/** To whom a fault is done, by the roles when the round begins. */
enum FaultTarget {
    MASTER,
    STANDBY;

    String of(RoleAssignment roles) {
        return this == MASTER ? roles.master() : roles.standby();
    }

    /** For names and sentences. */
    String word() {
        return name().toLowerCase(Locale.ROOT);
    }
}
