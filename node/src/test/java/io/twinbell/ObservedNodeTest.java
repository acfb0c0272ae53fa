package io.twinbell;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.opentelemetry.api.OpenTelemetry;
import io.opentelemetry.sdk.OpenTelemetrySdk;
import io.opentelemetry.sdk.common.CompletableResultCode;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.export.SimpleSpanProcessor;
import io.opentelemetry.sdk.trace.export.SpanExporter;
import io.twinbell.persistence.testing.TestPostgres;
import io.twinbell.persistence.testing.TestTasks;
import io.twinbell.persistence.testing.TestZooKeeper;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.postgresql.ds.PGSimpleDataSource;

/** What a framework needs of the node that it embeds, beside running tasks. */
class ObservedNodeTest {
    private static final BlockingQueue<String> SPANS = new LinkedBlockingQueue<>();
    private static PGSimpleDataSource database;
    private static String zooKeeper;
    private static Twinbell node;

    @BeforeAll
    static void start() throws Exception {
        database = TestPostgres.freshDatabase();
        zooKeeper = TestZooKeeper.freshFolder();
        node = builder("a", "app.run").openTelemetry(telemetry()).start();
        assertTrue(
                node.awaitJoined(Duration.ofMinutes(1)),
                () -> node.joinObstacle().orElse(""));
        await().until(() -> node.role().equals("MASTER"));
    }

    @AfterAll
    static void stop() throws Exception {
        node.close();
    }

    @Test
    void a_joined_node_shows_its_role_epoch_and_readiness() {
        await().until(() -> node.status().isReady());
        TwinbellStatus status = node.status();
        assertEquals(
                "twinbell a MASTER []",
                status.cluster() + " " + status.nodeId() + " " + status.role() + " " + status.reasons());
        assertTrue(status.epoch() > 0);
    }

    @Test
    void a_node_that_does_not_reach_the_database_is_not_ready_and_says_why() {
        try (Twinbell lost = builder("lost", "app.run")
                .set("database.url", "jdbc:postgresql://127.0.0.1:1/none?connectTimeout=1")
                .start()) {
            await().until(() -> !lost.status().reasons().isEmpty());
            assertFalse(lost.status().isReady());
            assertEquals("STOPPED", lost.status().role());
        }
    }

    @Test
    void metrics_have_the_values_of_the_metrics_page() {
        List<NodeMetric> metrics = node.metrics();
        NodeMetric epoch = metrics.stream()
                .filter(metric -> metric.name().equals("twinbell_epoch"))
                .findFirst()
                .orElseThrow();
        assertEquals(node.status().epoch(), epoch.value());
        assertEquals(NodeMetric.MetricKind.GAUGE, epoch.kind());
        assertTrue(metrics.stream().anyMatch(metric -> metric.kind() == NodeMetric.MetricKind.COUNTER));
        assertTrue(metrics.stream().anyMatch(metric -> metric.kind() == NodeMetric.MetricKind.DISTRIBUTION));
    }

    @Test
    void handlers_of_a_node_that_has_stopped_are_not_live() {
        try (Twinbell other = builder("b", "app.other").start()) {
            assertTrue(other.awaitJoined(Duration.ofMinutes(1)));
            assertTrue(node.liveHandlerKeys().containsAll(Set.of("app.run", "app.other")));
        }
        await().until(() -> !node.liveHandlerKeys().contains("app.other"));
        assertTrue(node.liveHandlerKeys().contains("app.run"));
    }

    @Test
    void a_joining_node_forgets_the_handlers_of_one_that_stopped_a_week_ago() {
        TestTasks tables = new TestTasks(database);
        tables.execute("insert into twinbell.node_handlers (node, keys, joined_at) values"
                + " ('old', '{x}', now() - interval '8 days'), ('recent', '{x}', now() - interval '6 days')");
        try (Twinbell other = builder("c", "app.run").start()) {
            assertTrue(other.awaitJoined(Duration.ofMinutes(1)));
        }
        tables.assertRows("select node from twinbell.node_handlers where node in ('old', 'recent')", "recent");
    }

    @Test
    void a_pause_in_code_keeps_its_reason_and_author_and_leaves_a_paused_task_alone() {
        node.tasks().put("app", "paused", "{\"schedule\":{\"every\":\"PT1H\"},\"handler\":{\"type\":\"log\"}}");
        TaskEntry paused = node.tasks()
                .pause("app", "paused", "not declared", "the program")
                .orElseThrow();
        assertEquals("PAUSED", paused.state());
        assertTrue(paused.json().contains("not declared"), paused.json());
        assertTrue(paused.json().contains("the program"), paused.json());
        TaskEntry again =
                node.tasks().pause("app", "paused", "another", "another").orElseThrow();
        assertTrue(again.json().contains("not declared"), again.json());
        assertTrue(node.tasks().pause("app", "unknown", "reason", "author").isEmpty());
    }

    @Test
    void a_task_is_checked_without_a_node() {
        Tasks.check("app", "good", "{\"schedule\":{\"every\":\"PT1H\"},\"handler\":{\"type\":\"log\"}}");
        IllegalArgumentException refusal = assertThrows(
                IllegalArgumentException.class,
                () -> Tasks.check("app", "bad", "{\"schedule\":{\"cron\":\"0 0 31 2 *\"},\"ovrlap\":1}"));
        for (String field : List.of("/schedule", "/ovrlap", "/handler")) {
            assertTrue(refusal.getMessage().contains(field), refusal.getMessage());
        }
    }

    @Test
    void an_attempt_is_a_span_of_the_given_opentelemetry() throws Exception {
        node.tasks().put("app", "traced", """
                {"schedule": {"in": "PT0.1S"}, "handler": {"type": "java", "key": "app.run"}}""");
        assertEquals("attempt java", SPANS.poll(30, TimeUnit.SECONDS));
    }

    private static Twinbell.Builder builder(String id, String key) {
        return TestNodes.builder(id, database, zooKeeper)
                .set("jmx.enabled", "false")
                .handler(key, context -> null);
    }

    private static OpenTelemetry telemetry() {
        return OpenTelemetrySdk.builder()
                .setTracerProvider(SdkTracerProvider.builder()
                        .addSpanProcessor(SimpleSpanProcessor.create(new SpanExporter() {
                            @Override
                            public CompletableResultCode export(Collection<SpanData> spans) {
                                spans.forEach(span -> SPANS.add(span.getName()));
                                return CompletableResultCode.ofSuccess();
                            }

                            @Override
                            public CompletableResultCode flush() {
                                return CompletableResultCode.ofSuccess();
                            }

                            @Override
                            public CompletableResultCode shutdown() {
                                return CompletableResultCode.ofSuccess();
                            }
                        }))
                        .build())
                .build();
    }
}
