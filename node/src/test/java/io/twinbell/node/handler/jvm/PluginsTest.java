package io.twinbell.node.handler.jvm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.twinbell.handler.TaskHandler;
import io.twinbell.node.engine.TestHandlers;
import io.twinbell.node.engine.handler.HandlerCall;
import io.twinbell.node.engine.handler.HandlerOutcome;
import io.twinbell.node.engine.handler.HandlerRunner;
import io.twinbell.node.handler.Handlers;
import io.twinbell.node.handler.config.HandlerConfig;
import io.twinbell.node.handler.http.HttpCalls;
import io.twinbell.node.handler.intercept.InterceptedRunner;
import io.twinbell.node.settings.ConfigException;
import io.twinbell.node.task.definition.HandlerSpec;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.MDC;

/** Handlers from jars, compiled here. */
class PluginsTest {
    private static final String SKIPPING = """
            package acme;
            import io.twinbell.handler.*;
            public class %1$s implements HandlerPlugin {
                public java.util.Map<String, TaskHandler> handlers() { return java.util.Map.of(); }
                public java.util.List<ScopedInterceptor> interceptors() {
                    return java.util.List.of(new ScopedInterceptor(InterceptorScope.ALL, new TaskInterceptor() {
                        public String name() { return "%1$s"; }
                        public Decision before(InterceptedRun run) { return Decision.skip("by a plugin"); }
                    }));
                }
            }""";
    private static final String PLUGIN = """
            package acme;
            import io.twinbell.handler.*;
            import java.util.Map;
            public class %s implements HandlerPlugin {
                public Map<String, TaskHandler> handlers() {
                    return Map.of("%s", context -> { %s });
                }
            }
            """;

    @TempDir
    private Path folder;

    @Test
    void a_handler_in_a_jar_runs_under_its_key() throws Exception {
        plugin("a.jar", "Greeting", "greet", "return \"hello \" + context.name();");
        assertEquals(HandlerOutcome.succeeded("hello name"), run("greet"));
    }

    @Test
    void every_node_has_a_handler_that_does_nothing_and_no_jar_takes_its_key() throws Exception {
        assertEquals(HandlerOutcome.succeeded(null), run("twinbell.noop"));

        plugin("a.jar", "Loud", "twinbell.noop", "return \"something\";");
        assertTrue(run("twinbell.noop").error().contains("several sources offer"), "a jar took the key");
    }

    @Test
    void a_jar_sees_the_api_and_its_own_classes_and_nothing_else_of_the_node() throws Exception {
        plugin("a.jar", "Looking", "look", """
                StringBuilder found = new StringBuilder();
                for (String name : new String[] {"acme.Looking", "io.twinbell.handler.TaskContext", "org.slf4j.Logger",
                        "java.sql.Connection", "io.twinbell.node.handler.Handlers", "org.postgresql.Driver",
                        "com.fasterxml.jackson.databind.JsonNode"}) {
                    try {
                        Class.forName(name, false, Thread.currentThread().getContextClassLoader());
                        found.append(name).append(' ');
                    } catch (ClassNotFoundException e) {
                        continue;
                    }
                }
                return found;""");
        assertEquals(
                "acme.Looking io.twinbell.handler.TaskContext org.slf4j.Logger java.sql.Connection ",
                run("look").output());
    }

    @Test
    void two_jars_have_classes_of_the_same_name_apart() throws Exception {
        plugin("a.jar", "Same", "one", "return 1;");
        plugin("b.jar", "Same", "two", "return 2;");
        assertEquals(HandlerOutcome.succeeded("1"), run("one"));
        assertEquals(HandlerOutcome.succeeded("2"), run("two"));
    }

    @Test
    void a_jar_that_is_none_or_offers_nothing_or_breaks_is_left_out_and_the_others_work() throws Exception {
        Files.writeString(folder.resolve("a-text.jar"), "not a jar");
        jar("b-empty.jar", "Empty", "package acme; class Empty {}", null);
        jar("c-missing.jar", "Other", "package acme; class Other {}", "acme.Nowhere");
        jar(
                "d-breaks.jar",
                "Breaks",
                "package acme; public class Breaks implements io.twinbell.handler.HandlerPlugin { { if (true) { throw new Error(); } }"
                        + " public java.util.Map<String, io.twinbell.handler.TaskHandler> handlers() { return null; } }",
                "acme.Breaks");
        plugin("e.jar", "Fine", "fine", "return null;");
        assertEquals(HandlerOutcome.succeeded(null), run("fine"));
    }

    @Test
    void a_jar_or_a_directory_that_others_can_write_is_left_out_and_the_error_says_why() throws Exception {
        plugin("a.jar", "Changed", "changed", "return 1;");
        plugin("b.jar", "Fine", "fine", "return 2;");
        Path jar = folder.resolve("a.jar");
        Files.setPosixFilePermissions(jar, PosixFilePermissions.fromString("rw-r--rw-"));
        assertTrue(
                run("changed").error().contains("a.jar can be written by everybody"),
                run("changed").error());
        assertEquals(HandlerOutcome.succeeded("2"), run("fine"));
        Files.setPosixFilePermissions(jar, PosixFilePermissions.fromString("rw-r--r--"));
        assertEquals(HandlerOutcome.succeeded("1"), run("changed"));
        Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxrwxrwx"));
        assertTrue(
                run("fine").error().contains(folder + " can be written by everybody"),
                run("fine").error());
    }

    @Test
    void a_bad_directory_and_a_bad_jar_are_left_out_and_the_error_names_them() throws Exception {
        Path whole = folder;
        plugin("b.jar", "Fine", "fine", "return 2;");
        Files.createDirectory(folder.resolve("a.jar"));
        assertEquals(
                0,
                new ProcessBuilder(
                                "mkfifo", "-m", "600", folder.resolve("c.jar").toString())
                        .start()
                        .waitFor());
        assertEquals(HandlerOutcome.succeeded("2"), run("fine"));
        String error = run("changed").error();
        assertTrue(error.contains("a.jar: java.io.IOException: it is a directory, not a file"), error);
        assertTrue(error.contains("c.jar: java.io.IOException: it is a named pipe"), error);
        folder = Files.createSymbolicLink(whole.resolve("link"), Path.of("/nowhere"));
        assertTrue(
                run("fine").error().contains(folder + ": it is not a directory"),
                run("fine").error());
        folder = whole.resolve("none");
        assertTrue(
                run("fine").error().contains(folder + ": there is no such directory"),
                run("fine").error());
        folder = whole;
    }

    @Test
    void a_key_that_two_offer_is_refused_and_both_are_named() throws Exception {
        plugin("a.jar", "First", "k", "return 1;");
        plugin("b.jar", "Second", "k", "return 2;");
        String error = run("k").error();
        assertTrue(error.contains("a.jar") && error.contains("b.jar"), error);
        HandlerOutcome withCode = run("k", Map.of("k", context -> 3));
        assertTrue(withCode.error().contains("the embedding program and "), withCode.error());
    }

    @Test
    void without_a_directory_there_are_no_plugins_and_an_unknown_key_says_so() throws Exception {
        Files.delete(folder);
        HandlerOutcome outcome = run("k");
        assertTrue(outcome.error().contains("no handler is registered under the key \"k\""), outcome.error());
        Files.createDirectory(folder);
    }

    @Test
    void a_jar_supplies_interceptors_without_handlers() throws Exception {
        jar("z.jar", "Late", SKIPPING.formatted("Late"), "acme.Late");
        jar("a.jar", "Early", SKIPPING.formatted("Early"), "acme.Early");
        try (Handlers handlers = handlers(Map.of("k", context -> 3))) {
            HandlerRunner runner = InterceptedRunner.around(handlers, handlers.pluginInterceptors());
            HandlerCall call = HttpCalls.call(new HandlerSpec.JavaCode("k"), null);
            assertEquals(
                    HandlerOutcome.skipped("skipped by Early: by a plugin"),
                    runner.start(call).toCompletableFuture().get());
        }
    }

    @Test
    void a_jar_that_needs_a_plugin_that_is_not_there_stops_the_node() throws Exception {
        jar("a.jar", "Needy", """
                package acme;
                import io.twinbell.handler.*;
                public class Needy implements HandlerPlugin {
                    public java.util.Map<String, TaskHandler> handlers() { return java.util.Map.of(); }
                    public java.util.Set<String> requires() { return java.util.Set.of("acme.Vault"); }
                }""", "acme.Needy");
        ConfigException failure = assertThrows(ConfigException.class, () -> handlers(Map.of()));
        assertEquals(
                "plugin acme.Needy (a.jar) requires acme.Vault, but no loaded plugin has this name",
                failure.getMessage());
        plugin("b.jar", "Vault", "vault", "return 1;");
        assertEquals(HandlerOutcome.succeeded("1"), run("vault"));
    }

    @Test
    void a_handlers_log_lines_name_its_slot_and_later_lines_do_not() throws Exception {
        Map<String, String> seen = new HashMap<>();
        run("k", Map.of("k", context -> {
            seen.putAll(MDC.getCopyOfContextMap());
            return null;
        }));
        assertEquals(Set.of("task", "slot", "attempt", "epoch", "node"), seen.keySet());
        assertEquals(HttpCalls.call(new HandlerSpec.JavaCode("k"), null).slot().idempotencyKey(), seen.get("slot"));
        assertNull(MDC.get("slot"));
    }

    private HandlerOutcome run(String key) throws Exception {
        return run(key, Map.of());
    }

    private Handlers handlers(Map<String, TaskHandler> registered) {
        HandlerConfig settings = new HandlerConfig(
                HandlerConfig.HttpHandler.DEFAULT,
                new HandlerConfig.JavaHandler(folder, Duration.ZERO),
                HandlerConfig.DEFAULT.sql(),
                HandlerConfig.DEFAULT.shell(),
                Map.of());
        return new Handlers(settings, registered, () -> 0, TestHandlers.NO_TRANSACTIONS, List.of());
    }

    private HandlerOutcome run(String key, Map<String, TaskHandler> registered) throws Exception {
        try (Handlers handlers = handlers(registered)) {
            return handlers.start(HttpCalls.call(new HandlerSpec.JavaCode(key), null))
                    .toCompletableFuture()
                    .get();
        }
    }

    private void plugin(String jar, String type, String key, String body) throws IOException {
        jar(jar, type, PLUGIN.formatted(type, key, body), "acme." + type);
    }

    private void jar(String name, String type, String source, String service) throws IOException {
        PluginJars.write(folder.resolve(name), type, source, service);
    }
}
