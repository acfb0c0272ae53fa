package io.twinbell.ha.latch;

import org.apache.zookeeper.client.ZKClientConfig;

/** What this process's ZooKeeper clients have in common. */
final class ClientSettings {
    /** What names the login configuration, without which there is nothing to authenticate with. */
    private static final String LOGIN_CONFIGURATION = "java.security.auth.login.config";

    private ClientSettings() {}

    /**
     * ZooKeeper's client prepares for SASL at every connection, also where there is none, and asks the name servers for
     * the name of the address for that. While they do not answer, a connection takes five seconds longer.
     */
    static ZKClientConfig make() {
        ZKClientConfig settings = new ZKClientConfig();
        if (System.getProperty(LOGIN_CONFIGURATION) == null) {
            settings.setProperty(ZKClientConfig.ENABLE_CLIENT_SASL_KEY, "false");
        }
        return settings;
    }
}
