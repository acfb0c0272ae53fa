package io.twinbell.spring;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.zaxxer.hikari.HikariDataSource;
import io.twinbell.client.HttpTaskClient;
import io.twinbell.client.JdbcTaskClient;
import java.util.Map;
import javax.sql.DataSource;
import org.apache.commons.logging.LogFactory;
import org.junit.jupiter.api.Test;
import org.postgresql.ds.PGSimpleDataSource;
import org.springframework.boot.actuate.health.Health;
import org.springframework.boot.actuate.health.HealthIndicator;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.diagnostics.FailureAnalyzer;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.core.io.support.SpringFactoriesLoader;
import org.springframework.core.io.support.SpringFactoriesLoader.ArgumentResolver;
import org.springframework.core.io.support.SpringFactoriesLoader.FailureHandler;
import org.springframework.jdbc.datasource.DelegatingDataSource;

/** Which beans there are, and how wrong properties fail. No server is there. */
class TwinbellAutoConfigurationTest {
    private final ApplicationContextRunner application =
            new ApplicationContextRunner().withConfiguration(AutoConfigurations.of(TwinbellAutoConfiguration.class));
    private final ApplicationContextRunner withDatabase = application.withBean(DataSource.class, () -> pool("shop"));
    /** Its node starts, and waits for servers that do not answer. */
    private final ApplicationContextRunner withNode =
            withDatabase.withPropertyValues("twinbell.zookeeper.connect=127.0.0.1:1", "twinbell.join-timeout=0s");

    @Test
    void a_node_without_an_ensemble_fails_and_names_the_property() {
        withDatabase.run(context -> assertFailure(context.getStartupFailure(), "twinbell.zookeeper.connect"));
    }

    @Test
    void a_node_without_a_data_source_fails_and_names_the_property() {
        application
                .withPropertyValues("twinbell.zookeeper.connect=127.0.0.1:1")
                .run(context -> assertFailure(context.getStartupFailure(), "twinbell.database.url"));
    }

    @Test
    void a_node_in_a_database_of_another_kind_fails_and_names_its_url() {
        application
                .withBean(DataSource.class, () -> {
                    HikariDataSource pool = new HikariDataSource();
                    pool.setJdbcUrl("jdbc:h2:mem:shop");
                    return pool;
                })
                .withPropertyValues("twinbell.zookeeper.connect=127.0.0.1:1")
                .run(context -> assertFailure(context.getStartupFailure(), "jdbc:h2:mem:shop"));
    }

    @Test
    void a_key_of_the_configuration_that_does_not_exist_fails_with_the_nearest_one() {
        withNode.withPropertyValues("twinbell.config.workers.sice=3")
                .run(context -> assertFailure(context.getStartupFailure(), "workers.size"));
    }

    @Test
    void a_property_that_does_not_exist_fails_and_is_named_with_those_that_do() {
        Map.of(
                        "twinbell.retry.max-attemps", "twinbell.retry has max-attempts, backoff, ",
                        "twinbell.retry.maxattemps", "twinbell.retry has max-attempts, backoff, ",
                        "twinbell.zookeper.connect", "twinbell has enabled, mode, app, ",
                        "twinbell.app.name", "twinbell has enabled, mode, app, ")
                .forEach((property, existing) -> {
                    withNode.withPropertyValues(property + "=4")
                            .run(context -> assertFailure(context.getStartupFailure(), property, existing));
                    withDatabase
                            .withPropertyValues("twinbell.mode=client", property + "=4")
                            .run(context -> assertFailure(context.getStartupFailure(), property, existing));
                });
    }

    @Test
    void system_properties_of_other_programs_are_no_unknown_properties() {
        withDatabase
                .withPropertyValues("twinbell.mode=client")
                .withSystemProperties("twinbell.test.something=1")
                .run(context -> assertNull(context.getStartupFailure()));
    }

    @Test
    void keys_of_the_configuration_lists_and_empty_values_are_no_unknown_properties() {
        withDatabase
                .withPropertyValues(
                        "twinbell.mode=client",
                        "twinbell.config.handlers.java.missing=PT5M",
                        "twinbell.config[workers.size]=3",
                        "twinbell.client.urls[0]=http://10.0.0.1:8081",
                        "twinbell.client.urls[1]=http://10.0.0.2:8081",
                        "twinbell.retry.maxAttempts=3",
                        "twinbell.node-id=",
                        "twinbell.drain=",
                        "twinbell.http.port=")
                .run(context -> assertNull(context.getStartupFailure()));
    }

    @Test
    void a_client_has_neither_node_nor_ensemble() {
        withDatabase.withPropertyValues("twinbell.mode=client").run(context -> {
            assertTrue(context.getBeansOfType(TwinbellNode.class).isEmpty());
            assertEquals("twinbell", context.getBean(JdbcTaskClient.class).app());
        });
    }

    @Test
    void the_app_is_the_applications_name_unless_it_is_set() {
        ApplicationContextRunner client =
                withDatabase.withPropertyValues("twinbell.mode=client", "spring.application.name=shop");
        client.run(context ->
                assertEquals("shop", context.getBean(JdbcTaskClient.class).app()));
        client.withPropertyValues("twinbell.app=billing")
                .run(context -> assertEquals(
                        "billing", context.getBean(JdbcTaskClient.class).app()));
    }

    @Test
    void a_client_with_urls_also_talks_http() {
        application
                .withPropertyValues(
                        "twinbell.mode=client", "twinbell.client.urls=http://10.0.0.1:8081,http://10.0.0.2:8081")
                .run(context -> {
                    assertTrue(context.getBeansOfType(JdbcTaskClient.class).isEmpty());
                    assertEquals(
                            "twinbell", context.getBean(HttpTaskClient.class).app());
                });
    }

    @Test
    void an_application_that_is_switched_off_has_no_beans() {
        withDatabase.withPropertyValues("twinbell.enabled=false").run(context -> {
            assertFalse(context.containsBean("twinbellSettings"));
            assertTrue(context.getBeansOfType(JdbcTaskClient.class).isEmpty());
        });
    }

    @Test
    void of_several_data_sources_the_marked_one_is_used() {
        ApplicationContextRunner two =
                application.withPropertyValues("twinbell.mode=client").withBean("a", DataSource.class, () -> pool("a"));
        two.withBean("b", DataSource.class, () -> pool("b"))
                .run(context ->
                        assertTrue(context.getBeansOfType(JdbcTaskClient.class).isEmpty()));
        two.withUserConfiguration(Marked.class)
                .run(context -> assertEquals(
                        1, context.getBeansOfType(JdbcTaskClient.class).size()));
    }

    static class Marked {
        @Bean
        @TwinbellDataSource
        DataSource marked() {
            return pool("marked");
        }
    }

    @Test
    void an_own_client_replaces_the_configured_one() {
        JdbcTaskClient own = JdbcTaskClient.of(pool("own"), "own");
        withDatabase
                .withPropertyValues("twinbell.mode=client")
                .withBean(JdbcTaskClient.class, () -> own)
                .run(context -> assertSame(own, context.getBean(JdbcTaskClient.class)));
    }

    @Test
    void the_node_logs_in_as_the_data_source_does_also_behind_a_proxy() {
        TwinbellProperties.Database unset = new TwinbellProperties.Database(null, null, null);
        DatabaseLogin login = DatabaseLogin.of(unset, new DelegatingDataSource(pool("shop")));
        assertEquals(new DatabaseLogin("jdbc:postgresql://127.0.0.1:1/shop", "me", "secret"), login);
        assertFalse(login.toString().contains("secret"));
        PGSimpleDataSource driver = new PGSimpleDataSource();
        driver.setUrl("jdbc:postgresql://127.0.0.1:1/shop");
        driver.setUser("me");
        assertEquals("me", DatabaseLogin.of(unset, driver).user());
        TwinbellProperties.Database user = new TwinbellProperties.Database(null, "node", "other");
        assertEquals(
                new DatabaseLogin("jdbc:postgresql://127.0.0.1:1/shop", "node", "other"),
                DatabaseLogin.of(user, pool("shop")));
    }

    @Test
    void the_schema_is_a_key_of_the_configuration() {
        assertEquals("shop", key("database.schema", "twinbell.config.database.schema=shop"));
    }

    @Test
    void ids_are_new_at_each_start_or_the_hosts_name_or_the_given_one() {
        String first = key("node.id", "spring.application.name=my shop");
        assertTrue(first.matches("my-shop-[0-9a-f]{8}"), first);
        assertNotEquals(first, key("node.id", "spring.application.name=my shop"));
        assertEquals("web-1", key("node.id", "twinbell.node-id-source=host-name", "HOSTNAME=web-1"));
        assertEquals("a", key("node.id", "twinbell.node-id=a"));
        assertTrue(key("node.id", "spring.application.name=" + "x".repeat(100)).length() <= 63);
    }

    @Test
    void a_drain_ends_before_the_shutdown_phase_does() {
        assertEquals("PT25S", key("shutdown.drain"));
        assertEquals("PT55S", key("shutdown.drain", "spring.lifecycle.timeout-per-shutdown-phase=1m"));
        assertEquals("PT3S", key("shutdown.drain", "spring.lifecycle.timeout-per-shutdown-phase=6s"));
        assertEquals("PT2M", key("shutdown.drain", "twinbell.drain=2m"));
    }

    @Test
    void the_log_of_the_application_repeats_the_audit_only_on_request() {
        assertEquals("false", key("audit.log"));
        assertEquals("true", key("audit.log", "twinbell.config.audit.log=true"));
    }

    @Test
    void nothing_listens_unless_it_is_asked_for() {
        assertEquals("false false", key("http.enabled") + " " + key("jmx.enabled"));
        assertEquals("true", key("http.enabled", "twinbell.http.enabled=true"));
        assertEquals("9999", key("http.port", "twinbell.http.port=9999"));
        assertEquals("PT5M", key("handlers.java.missing", "twinbell.config.handlers.java.missing=PT5M"));
    }

    @Test
    void an_unknown_key_of_the_configuration_is_reported_with_what_to_do() {
        withNode.withPropertyValues("twinbell.config.wokers.size=4").run(context -> {
            FailureAnalysis analysis = analysis(context.getStartupFailure());
            assertTrue(
                    analysis.getDescription().contains("unknown key \"wokers.size\" (twinbell.config.wokers.size)"),
                    analysis::getDescription);
            assertTrue(analysis.getAction().contains("twinbell.config.*"), analysis::getAction);
        });
    }

    @Test
    void a_refused_value_is_reported_with_the_property_that_sets_it() {
        Map.of(
                        "twinbell.config.workers.size=none", "(twinbell.config.workers.size)",
                        "twinbell.node-id=a b", "(twinbell.node-id)",
                        "twinbell.cluster=a b", "(twinbell.cluster)",
                        "twinbell.zookeeper.session-timeout=1ms", "(twinbell.zookeeper.session-timeout)",
                        "twinbell.drain=400d", "(twinbell.drain)",
                        "spring.lifecycle.timeout-per-shutdown-phase=400d",
                                "(spring.lifecycle.timeout-per-shutdown-phase)",
                        "twinbell.http.port=70000", "(twinbell.http.port)")
                .forEach((property, source) -> withNode.withPropertyValues("twinbell.http.enabled=true", property)
                        .run(context -> {
                            FailureAnalysis analysis = analysis(context.getStartupFailure());
                            assertTrue(analysis.getDescription().contains(source), analysis::getDescription);
                            assertFalse(analysis.getDescription().contains("--set"), analysis::getDescription);
                        }));
    }

    @Test
    void a_node_that_must_join_and_cannot_fails_the_start_and_says_what_does_not_answer() {
        withNode.withPropertyValues("twinbell.join-required=true", "twinbell.join-timeout=10ms")
                .run(context -> {
                    FailureAnalysis analysis = analysis(context.getStartupFailure());
                    assertTrue(
                            analysis.getDescription().contains("has not joined the pair within 10 ms: "),
                            analysis::getDescription);
                    assertTrue(analysis.getAction().contains("twinbell.zookeeper.connect"), analysis::getAction);
                    assertTrue(analysis.getAction().contains("twinbell.join-required=false"), analysis::getAction);
                });
    }

    /** By the analyzers that Spring Boot finds in the jar. */
    static FailureAnalysis analysis(Throwable failure) {
        return SpringFactoriesLoader.forDefaultResourceLocation()
                .load(FailureAnalyzer.class, ArgumentResolver.none(), FailureHandler.logging(LogFactory.getLog("test")))
                .stream()
                .filter(StartRefusalAnalyzer.class::isInstance)
                .map(analyzer -> analyzer.analyze(failure))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void a_node_that_has_not_joined_is_down_in_the_health_of_both_releases() {
        ApplicationContextRunner monitored =
                withNode.withConfiguration(AutoConfigurations.of(TwinbellActuatorAutoConfiguration.class));
        monitored
                .withClassLoader(new FilteredClassLoader("org.springframework.boot.health"))
                .run(context -> {
                    Health health = context.getBean(HealthIndicator.class).health();
                    assertEquals("DOWN", health.getStatus().getCode());
                    assertTrue(health.getDetails().containsKey("reasons"), health.toString());
                });
        monitored
                .withClassLoader(new FilteredClassLoader("org.springframework.boot.actuate.health"))
                .run(context -> assertEquals(
                        "DOWN",
                        context.getBean(org.springframework.boot.health.contributor.HealthIndicator.class)
                                .health()
                                .getStatus()
                                .getCode()));
        monitored
                .withPropertyValues("management.health.twinbell.enabled=false")
                .run(context -> assertFalse(context.containsBean("twinbellHealthIndicator")));
    }

    @Test
    void without_actuator_and_micrometer_the_node_works_and_shows_nothing() {
        withNode.withConfiguration(AutoConfigurations.of(TwinbellActuatorAutoConfiguration.class))
                .withClassLoader(new FilteredClassLoader(
                        "org.springframework.boot.actuate", "org.springframework.boot.health", "io.micrometer"))
                .run(context -> {
                    assertTrue(context.getBean(TwinbellNode.class).isRunning());
                    assertFalse(context.containsBean("twinbellMeters"));
                    assertFalse(context.containsBean("twinbellInfoContributor"));
                });
    }

    @Test
    void virtual_threads_are_refused_before_java_21() {
        withNode.withPropertyValues("twinbell.virtual-threads=true").run(context -> {
            if (Runtime.version().feature() < 21) {
                assertFailure(context.getStartupFailure(), "twinbell.virtual-threads");
            } else {
                assertTrue(context.getBean(TwinbellNode.class).isRunning());
            }
        });
    }

    static HikariDataSource pool(String database) {
        HikariDataSource pool = new HikariDataSource();
        pool.setJdbcUrl("jdbc:postgresql://127.0.0.1:1/" + database);
        pool.setUsername("me");
        pool.setPassword("secret");
        return pool;
    }

    private String key(String key, String... properties) {
        String[] value = new String[1];
        withDatabase
                .withPropertyValues("twinbell.enabled=true")
                .withPropertyValues("twinbell.mode=client", "twinbell.zookeeper.connect=127.0.0.1:1")
                .withPropertyValues(properties)
                .run(context -> {
                    Map<String, String> keys =
                            context.getBean(NodeSettings.class).keys(context.getBean(DataSource.class));
                    value[0] = keys.get(key);
                });
        return value[0];
    }

    static void assertFailure(Throwable failure, String... words) {
        StringBuilder messages = new StringBuilder();
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            messages.append(cause).append('\n');
            if (cause
                    instanceof
                    org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException
                            invalid) {
                messages.append(invalid.getName());
            }
        }
        for (String word : words) {
            assertTrue(messages.toString().contains(word), () -> word + " is not in " + messages);
        }
    }
}
