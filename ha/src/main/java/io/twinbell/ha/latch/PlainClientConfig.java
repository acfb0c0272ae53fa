package io.twinbell.ha.latch;

import org.apache.zookeeper.client.ZKClientConfig;
import org.apache.zookeeper.common.ZKConfig;

/**
 * The settings of a ZooKeeper client without TLS: the system properties that ZooKeeper reads, and no default for TLS.
 * ZooKeeper's own class prepares the TLS context of the Java runtime, with all its authorities, only to learn the names
 * of those properties, which takes some 60 ms of a young process.
 */
final class PlainClientConfig extends ZKClientConfig {
    private static final String PREFIX = "zookeeper.";
    private static final String KERBEROS_LIBRARY = "sun.security.jgss.native";

    /** Called by the superclass's constructor, before this class's own initializers. */
    @Override
    protected void handleBackwardCompatibility() {
        for (String name : System.getProperties().stringPropertyNames()) {
            if (name.startsWith(PREFIX) || name.equals(ZKConfig.JUTE_MAXBUFFER) || name.equals(KERBEROS_LIBRARY)) {
                setProperty(name, System.getProperty(name));
            }
        }
    }
}
