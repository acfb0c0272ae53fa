package io.twinbell.node.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.opentelemetry.api.OpenTelemetry;
import io.twinbell.node.handler.Handlers;
import io.twinbell.node.handler.config.HandlerConfig;
import io.twinbell.node.handler.trace.TracedRunner;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.postgresql.ds.PGSimpleDataSource;

/** Java handlers that the master does not have yet. In a rolling deployment, one node gets them before the other. */
class LackingHandlerTest {
    private static final PGSimpleDataSource DATABASE = EngineBench.DATABASE;
    private static final String DEFINITION = "{\"schedule\":{\"at\":\"2026-01-05T00:00:00.000Z\"},"
            + "\"start\":\"2026-01-05T00:00:00.000Z\",\"handler\":{\"type\":\"java\",\"key\":\"late\"}}";

    @AutoClose
    private final EngineBench bench = EngineBench.cleared(DATABASE, 1000);

    @BeforeEach
    void prepare() {
        bench.begin();
        bench.tasks.insert("early", DEFINITION, bench.nowMillis);
        bench.requests.add(bench.tasks.number("select id from twinbell.task"));
        bench.fireAll();
    }

    private List<String> executions() {
        return bench.tasks.query("select state, attempt from twinbell.execution");
    }

    @Test
    void its_slot_waits_and_runs_once_the_master_has_it() {
        assertEquals(List.of("PENDING|1"), executions());
        assertEquals(List.of(), bench.ran);
        bench.nowMillis += 4000;
        bench.fireAll();
        assertEquals(List.of("PENDING|1"), executions());
        // As if a node that has the handler were master now.
        bench.tasks.execute(
                "update twinbell.full_task set definition = jsonb_set(definition, '{handler,key}', '\"k\"')");
        bench.nowMillis += 4000;
        bench.fireAll();
        assertEquals(List.of("SUCCEEDED|1"), executions());
        assertEquals(1, bench.ran.size());
    }

    @Test
    void after_a_quarter_of_an_hour_it_fails_and_says_why() {
        bench.nowMillis += Duration.ofMinutes(16).toMillis();
        bench.fireAll();
        assertEquals(List.of("FAILED|1"), executions());
        String error = bench.tasks.query("select error from twinbell.execution").get(0);
        assertTrue(error.contains("no handler is registered under the key \"late\""), error);
    }

    @Test
    void the_wait_is_a_setting() {
        HandlerConfig defaults = HandlerConfig.DEFAULT;
        HandlerConfig hasty = new HandlerConfig(
                defaults.http(),
                new HandlerConfig.JavaHandler(null, Duration.ZERO),
                defaults.sql(),
                defaults.shell(),
                Map.of());
        try (Handlers handlers = new Handlers(hasty, Map.of(), () -> 0, TestHandlers.NO_TRANSACTIONS, List.of())) {
            assertEquals(Duration.ZERO, handlers.waitForMissing());
            assertEquals(
                    Duration.ZERO,
                    TracedRunner.around(handlers, OpenTelemetry.noop()).waitForMissing());
        }
    }
}
