package io.twinbell.tools.cli.catalog;

import static io.twinbell.tools.cli.TypedCommand.assertExit;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.twinbell.tools.cli.StubNode;
import io.twinbell.tools.cli.TypedCommand;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class AlertCommandTest {
    private static final String OPS =
            "{\"name\":\"on call\",\"version\":3,\"enabled\":false,\"on\":[\"FAILED\",\"STUCK\"],"
                    + "\"webhook\":{\"url\":\"http://x/hook\"},\"createdAt\":\"2026-11-21T09:00:00.000Z\"}";
    private static final String DELIVERY = "{\"id\":17,\"state\":\"%s\",\"attempt\":%s,\"error\":%s,"
            + "\"createdAt\":\"2026-11-21T09:00:00.000Z\",\"alert\":{\"summary\":\"a/b FAILED\"}}";

    @TempDir
    private Path folder;

    @AutoClose
    private final StubNode node = StubNode.start("a", "MASTER", 3);

    @BeforeEach
    void startNode() throws Exception {
        node.answer("/api/v1/alerts", "{\"items\":[" + OPS + "],\"next\":null}");
        node.answer("/api/v1/alerts/on call", OPS);
        node.answer("/api/v1/alerts/on call/test", DELIVERY.formatted("PENDING", 0, "null"));
    }

    private void deliveries(String... items) {
        node.answer("/api/v1/alerts/on call/deliveries", "{\"items\":[" + String.join(",", items) + "],\"next\":null}");
    }

    @Test
    void list_and_show_print_what_is_stored() {
        assertEquals(
                "on call FAILED,STUCK http://x/hook version=3 off\n",
                alert("list").out());
        String shown = alert("show", "on call").out();
        assertTrue(shown.contains("\"version\" : 3") && !shown.contains("createdAt"), shown);
    }

    @Test
    void put_sends_the_file_and_rm_removes() throws Exception {
        Path file = Files.writeString(folder.resolve("a.json"), "{\"on\":[\"FAILED\"]}");
        assertExit(0, alert("put", "on call", file.toString()));
        assertExit(0, alert("rm", "on call"));
        assertEquals(
                List.of("PUT /api/v1/alerts/on%20call {\"on\":[\"FAILED\"]}", "DELETE /api/v1/alerts/on%20call "),
                node.requests());
        assertExit(2, alert("put", "x", folder.resolve("absent").toString()));
    }

    @Test
    void test_waits_for_the_end_and_its_exit_code_says_how_it_went() {
        deliveries(DELIVERY.formatted("DELIVERED", 1, "null"));
        TypedCommand good = alert("test", "on call");
        assertExit(0, good);
        assertEquals("2026-11-21T09:00:00.000Z DELIVERED attempt=1 a/b FAILED\n", good.out());
        deliveries(DELIVERY.formatted("GIVEN_UP", 1, "\"the receiver responded with 500\""));
        TypedCommand bad = alert("test", "on call");
        assertExit(1, bad);
        assertTrue(bad.out().endsWith("a/b FAILED [the receiver responded with 500]\n"), bad.out());
    }

    @Test
    void test_that_nobody_sends_is_not_waited_for_for_ever() {
        deliveries(DELIVERY.formatted("PENDING", 0, "null"));
        TypedCommand pending = alert("test", "on call", "--wait", "0");
        assertExit(1, pending);
        assertTrue(pending.out().contains("PENDING attempt=0"), pending.out());
    }

    @Test
    void deliveries_are_a_line_each() {
        deliveries(DELIVERY.formatted("SENDING", 2, "null"), DELIVERY.formatted("SILENCED", 0, "null"));
        assertEquals(2, alert("deliveries", "on call", "-n", "5").out().lines().count());
    }

    private TypedCommand alert(String command, String... more) {
        String[] typed = new String[more.length + 4];
        typed[0] = "alert";
        typed[1] = command;
        System.arraycopy(more, 0, typed, 2, more.length);
        typed[more.length + 2] = "--url";
        typed[more.length + 3] = node.url();
        return TypedCommand.twinbell(typed);
    }
}
