package io.twinbell.ha.latch;

import org.apache.zookeeper.client.ZKClientConfig;
import org.apache.zookeeper.common.ZKConfig;

/** The settings that all ZooKeeper clients of this process share. */
final class ClientSettings {
    /**
     * The system property that names the login configuration; without it there are no credentials to authenticate with.
     */
    private static final String LOGIN_CONFIGURATION = "java.security.auth.login.config";

    /** The only socket of ZooKeeper's client that speaks TLS. */
    private static final String TLS_SOCKET = "org.apache.zookeeper.ClientCnxnSocketNetty";

    /**
     * The longest answer that a client accepts; a longer one costs the connection. ZooKeeper's default of 1 MB is
     * exceeded by a folder in which another client has made 10,000 nodes with long names.
     */
    private static final int ANSWER_BYTES = 16 * 1024 * 1024;

    private ClientSettings() {}

    /**
     * Returns settings with SASL off unless a login configuration is set. Even without one, ZooKeeper's client prepares
     * for SASL at every connection, and looks up the host name of the address. That takes five seconds if the name
     * servers do not answer.
     */
    static ZKClientConfig make(ZooKeeperAccess.Tls tls) {
        boolean isEncrypted = tls.isOn() || Boolean.getBoolean(ZKClientConfig.SECURE_CLIENT);
        ZKClientConfig settings = isEncrypted ? new ZKClientConfig() : new PlainClientConfig();
        if (System.getProperty(LOGIN_CONFIGURATION) == null) {
            settings.setProperty(ZKClientConfig.ENABLE_CLIENT_SASL_KEY, "false");
        }
        if (settings.getProperty(ZKConfig.JUTE_MAXBUFFER) == null) {
            settings.setProperty(ZKConfig.JUTE_MAXBUFFER, String.valueOf(ANSWER_BYTES));
        }
        if (tls.isOn()) {
            encrypt(settings, tls);
        }
        return settings;
    }

    private static void encrypt(ZKClientConfig settings, ZooKeeperAccess.Tls tls) {
        settings.setProperty(ZKClientConfig.SECURE_CLIENT, "true");
        settings.setProperty(ZKClientConfig.ZOOKEEPER_CLIENT_CNXN_SOCKET, TLS_SOCKET);
        if (tls.certificate() != null) {
            settings.setProperty(
                    "zookeeper.ssl.keyStore.location", tls.certificate().toString());
            settings.setProperty("zookeeper.ssl.keyStore.password", tls.password() == null ? "" : tls.password());
        }
        if (tls.authorities() != null) {
            settings.setProperty(
                    "zookeeper.ssl.trustStore.location", tls.authorities().toString());
        }
    }
}
