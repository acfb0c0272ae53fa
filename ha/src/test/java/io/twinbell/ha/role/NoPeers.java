package io.twinbell.ha.role;

import io.twinbell.persistence.database.DatabaseSettings;
import io.twinbell.persistence.database.DedicatedConnection;
import java.util.UUID;

/** A database that is down: nothing listens on its port. */
public final class NoPeers {
    private NoPeers() {}

    public static DatabaseSettings settings() {
        return new DatabaseSettings("jdbc:postgresql://127.0.0.1:1/none", "none", "", "nobody", UUID.randomUUID());
    }

    public static DedicatedConnection connection() {
        return new DedicatedConnection(settings(), "nowhere", 1);
    }
}
