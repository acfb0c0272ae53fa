package io.twinbell.node.handler.jvm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.twinbell.handler.HandlerPlugin;
import io.twinbell.handler.PluginTasks;
import io.twinbell.handler.TaskHandler;
import io.twinbell.node.settings.ConfigException;
import io.twinbell.persistence.database.DatabaseUnavailableException;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

class PluginLifecycleTest {
    private static final Duration LONG = Duration.ofMinutes(1);

    private final List<String> calls = Collections.synchronizedList(new ArrayList<>());

    /** Code of a phase, which may fail. */
    private interface FailingCode {
        void occur() throws Exception;
    }

    private final class NotingPlugin implements HandlerPlugin {
        private final String name;
        private FailingCode inInit = () -> {};
        private FailingCode inStart = () -> {};
        private FailingCode inStop = () -> {};

        NotingPlugin(String name) {
            this.name = name;
        }

        @Override
        public Map<String, TaskHandler> handlers() {
            return Map.of();
        }

        @Override
        public void onInit() throws Exception {
            calls.add("init " + name);
            inInit.occur();
        }

        @Override
        public void onStart(PluginTasks tasks) throws Exception {
            calls.add("start " + name);
            inStart.occur();
        }

        @Override
        public void onStop() throws Exception {
            calls.add("stop " + name);
            inStop.occur();
        }
    }

    private static LoadedPlugin loaded(String name, HandlerPlugin plugin, String... requires) {
        return new LoadedPlugin(name, Set.of(requires), plugin, Path.of(name + ".jar"), null);
    }

    private static String orderOf(LoadedPlugin... plugins) {
        return PluginOrder.of(List.of(plugins)).stream()
                .map(LoadedPlugin::name)
                .toList()
                .toString();
    }

    @Test
    void a_plugin_comes_after_those_that_it_requires_and_otherwise_keeps_its_place() {
        assertEquals("[a, b, c]", orderOf(loaded("a", null), loaded("b", null), loaded("c", null)));
        assertEquals(
                "[c, b, a, d]",
                orderOf(loaded("a", null, "b", "c"), loaded("b", null, "c"), loaded("c", null), loaded("d", null)));
    }

    @Test
    void a_circle_and_a_name_without_one_plugin_are_refused_with_the_names() {
        String circle = assertThrows(
                        IllegalArgumentException.class,
                        () -> orderOf(loaded("a", null, "b"), loaded("b", null, "c"), loaded("c", null, "b")))
                .getMessage();
        assertEquals("plugins require each other: b (b.jar) requires c (c.jar) requires b (b.jar)", circle);
        String missing = assertThrows(IllegalArgumentException.class, () -> orderOf(loaded("a", null, "x")))
                .getMessage();
        assertEquals("plugin a (a.jar) requires x, but no loaded plugin has this name", missing);
        String several = assertThrows(
                        IllegalArgumentException.class,
                        () -> orderOf(loaded("a", null, "x"), loaded("x", null), loaded("x", new NotingPlugin("x"))))
                .getMessage();
        assertTrue(several.contains("several have this name"), several);
    }

    @Test
    void all_are_initialised_before_one_starts_and_stopped_in_reverse_order() {
        PluginLifecycle lifecycle = new PluginLifecycle(LONG, LONG);
        lifecycle.init(List.of(loaded("a", new NotingPlugin("a")), loaded("b", new NotingPlugin("b"))));
        lifecycle.start(null);
        lifecycle.stop();
        lifecycle.stop();
        assertEquals(List.of("init a", "init b", "start a", "start b", "stop b", "stop a"), calls);
    }

    @Test
    void a_failure_names_plugin_and_phase_and_what_began_is_stopped() {
        NotingPlugin bad = new NotingPlugin("bad");
        bad.inInit = () -> {
            throw new IllegalStateException("no server");
        };
        PluginLifecycle lifecycle = new PluginLifecycle(LONG, LONG);
        ConfigException failure = assertThrows(
                ConfigException.class,
                () -> lifecycle.init(List.of(
                        loaded("a", new NotingPlugin("a")), loaded("bad", bad), loaded("c", new NotingPlugin("c")))));
        assertEquals(
                "plugin bad (bad.jar) failed in onInit: java.lang.IllegalStateException: no server",
                failure.getMessage());
        lifecycle.stop();
        assertEquals(List.of("init a", "init bad", "stop bad", "stop a"), calls);
    }

    @Test
    void a_call_that_does_not_return_is_interrupted_at_its_bound() throws Exception {
        CountDownLatch interrupted = new CountDownLatch(1);
        NotingPlugin slow = new NotingPlugin("slow");
        slow.inStart = () -> {
            try {
                new CountDownLatch(1).await();
            } catch (InterruptedException e) {
                interrupted.countDown();
            }
        };
        PluginLifecycle lifecycle = new PluginLifecycle(Duration.ofMillis(200), Duration.ofMillis(200));
        lifecycle.init(List.of(loaded("slow", slow)));
        ConfigException failure = assertThrows(ConfigException.class, () -> lifecycle.start(null));
        assertEquals("plugin slow (slow.jar) did not return from onStart within PT0.2S", failure.getMessage());
        interrupted.await();
    }

    @Test
    void a_failing_stop_keeps_no_other_plugin_from_stopping() {
        NotingPlugin bad = new NotingPlugin("bad");
        bad.inStop = () -> {
            throw new Error("stuck");
        };
        PluginLifecycle lifecycle = new PluginLifecycle(LONG, LONG);
        lifecycle.init(List.of(loaded("a", new NotingPlugin("a")), loaded("bad", bad)));
        lifecycle.stop();
        assertEquals(List.of("init a", "init bad", "stop bad", "stop a"), calls);
    }

    @Test
    void a_start_that_met_a_database_outage_is_repeated_and_no_other() {
        NotingPlugin second = new NotingPlugin("b");
        second.inStart = () -> {
            if (Collections.frequency(calls, "start b") == 1) {
                throw new IllegalStateException(
                        new DatabaseUnavailableException("read", new SQLException("no answer")));
            }
        };
        PluginLifecycle lifecycle = new PluginLifecycle(LONG, LONG);
        lifecycle.init(List.of(loaded("a", new NotingPlugin("a")), loaded("b", second)));
        assertThrows(DatabaseUnavailableException.class, () -> lifecycle.start(null));
        lifecycle.start(null);
        assertEquals(List.of("init a", "init b", "start a", "start b", "start b"), calls);
    }
}
