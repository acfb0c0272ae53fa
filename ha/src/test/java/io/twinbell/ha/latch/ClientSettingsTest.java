package io.twinbell.ha.latch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.stream.Stream;
import org.apache.zookeeper.client.ZKClientConfig;
import org.apache.zookeeper.common.ZKConfig;
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

    /** Fails if a version of ZooKeeper reads a setting of its client from a property that is not copied. */
    @Test
    void a_connection_without_tls_has_every_setting_that_zookeeper_itself_reads() throws Exception {
        Set<String> properties = ownProperties();
        properties.forEach(name -> System.setProperty(name, "7"));
        try {
            ZKConfig expected = new ZKClientConfig();
            ZKConfig plain = new PlainClientConfig();

            assertTrue(properties.size() > 10, properties.toString());
            properties.forEach(name -> assertEquals(expected.getProperty(name), plain.getProperty(name), name));
        } finally {
            properties.forEach(System::clearProperty);
        }
    }

    @Test
    void a_program_that_asks_for_tls_by_a_system_property_gets_zookeepers_own_settings() {
        assertEquals(
                PlainClientConfig.class,
                ClientSettings.make(ZooKeeperAccess.Tls.OFF).getClass());
        System.setProperty(ZKClientConfig.SECURE_CLIENT, "true");
        try {
            assertEquals(
                    ZKClientConfig.class,
                    ClientSettings.make(ZooKeeperAccess.Tls.OFF).getClass());
        } finally {
            System.clearProperty(ZKClientConfig.SECURE_CLIENT);
        }
    }

    /** The names of properties among ZooKeeper's constants. */
    private static Set<String> ownProperties() throws IllegalAccessException {
        Set<String> names = new LinkedHashSet<>();
        for (Field field : Stream.of(ZKConfig.class, ZKClientConfig.class)
                .flatMap(type -> Stream.of(type.getDeclaredFields()))
                .toList()) {
            if (Modifier.isPublic(field.getModifiers())
                    && field.getType() == String.class
                    && String.valueOf(field.get(null)).indexOf('.') > 0) {
                names.add((String) field.get(null));
            }
        }
        return names;
    }
}
