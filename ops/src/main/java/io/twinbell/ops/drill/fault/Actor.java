package io.twinbell.ops.drill.fault;

import io.twinbell.ops.drill.stage.Cast;
import java.util.Locale;

/** To whom a fault is done, by the roles when the round begins. */
enum Actor {
    MASTER,
    STANDBY;

    String of(Cast cast) {
        return this == MASTER ? cast.master() : cast.standby();
    }

    /** For names and sentences. */
    String word() {
        return name().toLowerCase(Locale.ROOT);
    }
}
