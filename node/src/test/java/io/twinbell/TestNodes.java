package io.twinbell;

import javax.management.MBeanServerFactory;
import org.postgresql.ds.PGSimpleDataSource;

/** Nodes inside a test, which listen on free ports and show no bean to other tests. */
public final class TestNodes {
    private TestNodes() {}

    public static Twinbell.Builder builder(String id, PGSimpleDataSource database, String zooKeeper) {
        return Twinbell.builder()
                .set("node.id", id)
                .set("http.port", "0")
                .set("jmx.port", "0")
                .set("database.url", database.getUrl())
                .set("database.user", database.getUser())
                .set("database.password", String.valueOf(database.getPassword()))
                .set("zookeeper.connect", zooKeeper)
                .beanServer(MBeanServerFactory.newMBeanServer());
    }
}
