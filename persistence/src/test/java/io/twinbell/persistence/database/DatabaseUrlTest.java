package io.twinbell.persistence.database;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.sql.SQLException;
import java.util.List;
import java.util.Properties;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class DatabaseUrlTest {
    @ParameterizedTest
    @ValueSource(
            strings = {
                "jdbc:postgresql://h:5432/d?password=s3cr3t",
                "jdbc:postgresql://h:5432/d?ssl=true&password=s3cr3t&x=1",
                "jdbc:postgresql://h/d?PASSWORD=s3cr3t",
                "jdbc:postgresql://h/d?sslpassword=s3cr3t",
                "jdbc:postgresql://h/d?pass%77ord=s3cr3t",
                "jdbc:postgresql://h/d?x=1&%50ASSWORD=s3cr3t",
                "jdbc:postgresql://h/d?sslmode=require&sslPassword=s3cr3t",
                "jdbc:postgresql://user:s3cr3t@h:5432/d",
                "jdbc:postgresql://user:s3cr3t/@s3cr3t@h:5432/d?x=1",
                "FATAL: no (jdbc:postgresql://h,h2:1/d?user=u&password=s3cr3t) and \"jdbc:postgresql:d?password=s3cr3t\"",
            })
    void no_password_of_a_url_is_shown(String text) {
        String masked = DatabaseUrl.masked(text);
        assertFalse(masked.contains("s3cr3t"), masked);
        DatabaseSettings settings = new DatabaseSettings(text, "u", "s3cr3t", "a", UUID.randomUUID());
        assertFalse(settings.toString().contains("s3cr3t"), settings.toString());
    }

    @Test
    void a_text_without_a_password_is_shown_unchanged() {
        for (String text : new String[] {
            "jdbc:postgresql://h:5432/d?sslmode=require&sslkey=/k", "jdbc:postgresql://h:5432/d?x=a@b", "mail to a:b@c"
        }) {
            assertEquals(text, DatabaseUrl.masked(text));
        }
    }

    @Test
    void the_driver_gets_passwords_beside_the_url_and_nothing_that_the_node_decides_on() {
        DatabaseSettings settings = new DatabaseSettings(
                "jdbc:postgresql://h/d?password=a%26b&socketTimeout=0&options=-c%20geqo=off&sslmode=require&ApplicationName=x"
                        + "&readOnly=true&preferQueryMode=simple",
                "u", null, "a", UUID.randomUUID());
        assertEquals("jdbc:postgresql://h/d?sslmode=require", settings.driverUrl());
        Properties properties = settings.properties("claim", 3, "");
        assertEquals("a&b", properties.getProperty("password"));
        assertEquals("3", properties.getProperty("socketTimeout"));
        assertEquals(0, properties.getProperty("options").indexOf("-c geqo=off -c tcp_keepalives_idle="));
        assertEquals(settings.applicationName("claim"), properties.getProperty("ApplicationName"));
    }

    /** The driver quotes the whole URL where it cannot read it. */
    @Test
    void an_error_of_the_driver_shows_no_password() {
        DatabaseSettings settings =
                new DatabaseSettings("jdbc:postgresql://h:port/d?password=s3cr3t", "u", null, "a", UUID.randomUUID());
        try (DedicatedConnection connection = new DedicatedConnection(settings, "probe", 2)) {
            Throwable thrown =
                    assertThrows(DatabaseUnavailableException.class, () -> connection.run(c -> c.getCatalog()));
            for (; thrown != null; thrown = thrown.getCause()) {
                assertFalse(String.valueOf(thrown.getMessage()).contains("s3cr3t"), thrown.toString());
            }
        }
    }

    @Test
    void each_host_of_a_url_has_a_url_of_its_own() {
        DatabaseUrl url = new DatabaseUrl(
                "jdbc:postgresql://one:5433,two,[::1]:5434/d?targetServerType=primary&sslmode=require&loadBalanceHosts=true");
        assertEquals(List.of("one:5433", "two", "[::1]:5434"), url.hosts());
        assertEquals("jdbc:postgresql://two/d?sslmode=require", url.ofHost("two"));
        assertEquals("primary", url.targetServerType());
    }

    @Test
    void a_url_without_a_host_has_one_nameless_host() {
        DatabaseUrl url = new DatabaseUrl("jdbc:postgresql:d");
        assertEquals(List.of(""), url.hosts());
        assertEquals("jdbc:postgresql:d", url.ofHost(""));
        assertNull(url.targetServerType());
    }

    @Test
    void a_session_that_a_timeout_ended_says_where_that_may_be_set() {
        DatabaseUnavailableException ended = new DatabaseUnavailableException(
                "survey", new SQLException("FATAL: terminating connection due to idle-session timeout", "57P05"));
        assertTrue(ended.advice().orElseThrow().contains("alter role … reset"));
    }
}
