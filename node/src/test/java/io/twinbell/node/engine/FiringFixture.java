package io.twinbell.node.engine;

import io.twinbell.persistence.testing.TestPostgres;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.postgresql.ds.PGSimpleDataSource;

/** An engine that a test steps by hand on a real ledger. */
abstract class FiringFixture {
    static final PGSimpleDataSource DATABASE = EngineBench.DATABASE;
    static final String RERUN = ",\"orphan\":\"RERUN\"";
    EngineBench bench;

    @BeforeEach
    void prepare() {
        TestPostgres.clear(DATABASE);
        bench = new EngineBench(DATABASE, 1000);
    }

    @AfterEach
    void close() {
        bench.close();
    }

    /** A recent second: schedules of whole seconds meet it. */
    long gridTime() {
        return bench.nowMillis / 1000 * 1000;
    }
}
