package io.twinbell.ha.latch;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class ClientSettingsTest {
    private static final String LOGIN_CONFIGURATION = "java.security.auth.login.config";

    @AfterEach
    void forget() {
        System.clearProperty(LOGIN_CONFIGURATION);
    }

    @Test
    void no_connection_waits_for_name_servers_where_there_is_nothing_to_log_in_with() {
        assertFalse(ClientSettings.make(ZooKeeperAccess.Tls.OFF).isSaslClientEnabled());
    }

    @Test
    void a_named_login_configuration_is_used() {
        System.setProperty(LOGIN_CONFIGURATION, "jaas.conf");

        assertTrue(ClientSettings.make(ZooKeeperAccess.Tls.OFF).isSaslClientEnabled());
    }
}
