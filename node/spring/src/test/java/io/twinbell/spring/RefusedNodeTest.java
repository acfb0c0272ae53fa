package io.twinbell.spring;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.zaxxer.hikari.HikariDataSource;
import io.twinbell.Twinbell;
import io.twinbell.persistence.testing.TestPostgres;
import io.twinbell.persistence.testing.TestTasks;
import java.time.Duration;
import javax.sql.DataSource;
import org.apache.curator.test.TestingServer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.postgresql.ds.PGSimpleDataSource;
import org.springframework.boot.actuate.health.Health;
import org.springframework.boot.actuate.health.HealthIndicator;
import org.springframework.boot.actuate.health.Status;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

/** An application whose node ends by itself, because an operator must decide something. */
@ExtendWith(OutputCaptureExtension.class)
class RefusedNodeTest {
    private static final Duration SOON = Duration.ofMinutes(1);

    private static TestingServer zooKeeper;

    private final PGSimpleDataSource database = TestPostgres.freshDatabase();
    private final ApplicationContextRunner application = on(database);

    private static ApplicationContextRunner on(PGSimpleDataSource database) {
        return new ApplicationContextRunner()
                .withConfiguration(
                        AutoConfigurations.of(TwinbellAutoConfiguration.class, TwinbellActuatorAutoConfiguration.class))
                .withBean(DataSource.class, () -> pool(database))
                // One release's health is enough.
                .withClassLoader(new FilteredClassLoader("org.springframework.boot.health"));
    }

    @BeforeAll
    static void start() throws Exception {
        zooKeeper = new TestingServer();
    }

    @AfterAll
    static void stop() throws Exception {
        zooKeeper.close();
    }

    private static HikariDataSource pool(PGSimpleDataSource database) {
        HikariDataSource pool = new HikariDataSource();
        pool.setJdbcUrl(database.getUrl());
        pool.setUsername(database.getUser());
        pool.setPassword(database.getPassword());
        return pool;
    }

    @Test
    void a_node_that_must_not_join_fails_the_start_also_if_joining_is_not_required(CapturedOutput log) {
        application
                .withPropertyValues(
                        "twinbell.zookeeper.connect=" + zooKeeper.getConnectString() + "/missing",
                        "twinbell.join-required=false",
                        "twinbell.join-timeout=1m")
                .run(context -> {
                    StartRefusedException refusal =
                            assertInstanceOf(StartRefusedException.class, rootOf(context.getStartupFailure()));
                    assertTrue(
                            refusal.description()
                                            .startsWith("The node has ended by itself and does not join the pair: ")
                                    && refusal.description().contains("ZooKeeper does not have the folder at its end"),
                            refusal::description);
                    assertTrue(
                            refusal.action().contains("twinbell.join-required=false does not help"), refusal::action);
                });
        assertFalse(log.getAll().contains("The node keeps trying"), log::getAll);
    }

    @Test
    void a_node_that_ends_after_the_start_is_down_with_the_reason() {
        application
                .withPropertyValues(
                        "twinbell.zookeeper.connect=" + zooKeeper.getConnectString() + "/missing",
                        "twinbell.join-timeout=0s")
                .run(context -> {
                    assertNull(context.getStartupFailure());
                    Twinbell node = context.getBean(TwinbellNode.class).node();
                    await().atMost(SOON).until(node::hasEnded);
                    Health health = context.getBean(HealthIndicator.class).health();
                    assertEquals("DOWN", health.getStatus().getCode());
                    assertTrue(
                            health.getDetails().get("reasons").toString().contains("does not have the folder"),
                            health::toString);
                });
    }

    @Test
    void a_node_that_a_newer_build_supersedes_is_down_with_the_reason() {
        application
                .withPropertyValues(
                        "twinbell.zookeeper.connect=" + zooKeeper.getConnectString(),
                        "twinbell.cluster=superseded",
                        "twinbell.join-timeout=1m")
                .run(context -> {
                    Twinbell node = context.getBean(TwinbellNode.class).node();
                    await().atMost(SOON).until(() -> node.status().isReady());
                    new TestTasks(database).execute("update twinbell.cluster set oldest_build = 9999");
                    await().atMost(SOON).until(node::hasEnded);
                    Health health = context.getBean(HealthIndicator.class).health();
                    assertEquals("DOWN", health.getStatus().getCode());
                    assertTrue(health.getDetails().get("reasons").toString().contains("9999"), health::toString);
                });
    }

    @Test
    void a_node_that_waits_for_its_servers_has_not_ended() {
        application
                .withPropertyValues("twinbell.zookeeper.connect=127.0.0.1:1", "twinbell.join-timeout=0s")
                .run(context -> {
                    Twinbell node = context.getBean(TwinbellNode.class).node();
                    await().atMost(SOON)
                            .until(() -> node.joinObstacle().orElse("").contains("ZooKeeper does not answer"));
                    assertFalse(node.hasEnded());
                    node.close();
                    assertTrue(node.hasEnded());
                });
    }

    @Test
    void a_second_application_on_one_zookeeper_is_told_to_take_another_name_and_may_take_it() {
        String connect = "twinbell.zookeeper.connect=" + zooKeeper.getConnectString();
        application
                .withPropertyValues(connect, "twinbell.cluster=taken", "twinbell.join-timeout=1m")
                .run(first -> {
                    assertNull(first.getStartupFailure());
                    PGSimpleDataSource own = TestPostgres.freshDatabase();
                    // Databases of tests are copies, with the same id.
                    new TestTasks(own).execute("update twinbell.cluster set cluster_id = gen_random_uuid()");
                    ApplicationContextRunner second = on(own).withPropertyValues(connect, "twinbell.join-timeout=1m");
                    second.withPropertyValues("twinbell.cluster=taken").run(refused -> {
                        String why = String.valueOf(
                                rootOf(refused.getStartupFailure()).getMessage());
                        assertTrue(why.contains("Give this pair another name with the key cluster"), why);
                    });
                    second.withPropertyValues("twinbell.cluster=free")
                            .run(joined -> assertNull(joined.getStartupFailure()));
                });
    }

    @Test
    void two_applications_that_form_a_pair_say_so_in_log_and_health_on_both_sides(CapturedOutput log) {
        ApplicationContextRunner joins = application.withPropertyValues(
                "twinbell.zookeeper.connect=" + zooKeeper.getConnectString(),
                "twinbell.cluster=shared",
                "twinbell.join-timeout=1m");
        joins.withPropertyValues("spring.application.name=shop", "twinbell.node-id=a")
                .run(shop -> {
                    HealthIndicator ofMaster = shop.getBean(HealthIndicator.class);
                    await().atMost(SOON).until(() -> ofMaster.health().getStatus() == Status.UP);
                    joins.withPropertyValues("spring.application.name=shop", "twinbell.node-id=b")
                            .run(second -> {
                                assertUpWithoutReasons(second.getBean(HealthIndicator.class));
                                assertUpWithoutReasons(ofMaster);
                            });
                    joins.withPropertyValues("spring.application.name=billing", "twinbell.node-id=c")
                            .run(billing -> {
                                HealthIndicator ofStandby = billing.getBean(HealthIndicator.class);
                                String onStandby = "node c of the application \"billing\" and node a of the application"
                                        + " \"shop\" form one pair";
                                String onMaster = "node a of the application \"shop\" and node c of the application"
                                        + " \"billing\" form one pair";
                                await().atMost(SOON)
                                        .until(() -> log.getAll().contains(onStandby)
                                                && log.getAll().contains(onMaster));
                                Health down = ofStandby.health();
                                assertEquals(Status.DOWN, down.getStatus());
                                assertTrue(down.toString().contains(onStandby), down::toString);
                                Health up = ofMaster.health();
                                assertEquals(Status.UP, up.getStatus());
                                assertTrue(up.toString().contains(onMaster), up::toString);
                            });
                    await().atMost(SOON).untilAsserted(() -> assertUpWithoutReasons(ofMaster));
                });
    }

    private static void assertUpWithoutReasons(HealthIndicator indicator) {
        Health health = indicator.health();
        assertTrue(health.getStatus() == Status.UP && !health.getDetails().containsKey("reasons"), health::toString);
    }

    private static Throwable rootOf(Throwable failure) {
        Throwable root = failure;
        while (root.getCause() != null) {
            root = root.getCause();
        }
        return root;
    }
}
