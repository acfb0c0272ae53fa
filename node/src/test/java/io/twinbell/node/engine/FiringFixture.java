package io.twinbell.node.engine;

import org.junit.jupiter.api.AutoClose;
import org.postgresql.ds.PGSimpleDataSource;

/** An engine that a test steps by hand on a real ledger. */
abstract class FiringFixture {
    static final PGSimpleDataSource DATABASE = EngineBench.DATABASE;
    static final String RERUN = ",\"orphan\":\"RERUN\"";

    @AutoClose
    final EngineBench bench = EngineBench.cleared(DATABASE, 1000);

    /** A recent second: schedules of whole seconds meet it. */
    long gridTime() {
        return bench.nowMillis / 1000 * 1000;
    }
}
