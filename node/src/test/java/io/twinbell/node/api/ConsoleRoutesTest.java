package io.twinbell.node.api;

import static io.twinbell.node.api.ApiFixture.assertStatus;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.twinbell.node.access.AccessPolicy;
import io.twinbell.node.api.ApiFixture.Reply;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ConsoleRoutesTest {
    private final ApiFixture api = new ApiFixture(new AccessPolicy(Optional.empty(), List.of(), ""));

    @AfterAll
    void stop() {
        api.close();
    }

    private static String header(Reply reply, String name) {
        return reply.raw().headers().firstValue(name).orElse("");
    }

    @Test
    void the_console_is_served_without_a_token() {
        Reply page = api.get("/");
        assertStatus(200, page);
        assertTrue(page.raw().body().contains("/console/main.js"), page.raw().body());
        assertStatus(401, api.get("/api/v1/tasks"));
        assertStatus(404, api.get("/console/none.js"));
    }

    @Test
    void the_policy_admits_no_inline_script_and_no_foreign_frame() {
        Reply page = api.get("/");
        String policy = header(page, "Content-Security-Policy");
        assertTrue(policy.startsWith("default-src 'none'; script-src 'self'; style-src 'self';"), policy);
        assertTrue(policy.contains("frame-ancestors 'none'"), policy);
        assertEquals("nosniff", header(page, "X-Content-Type-Options"));
        assertEquals("no-referrer", header(page, "Referrer-Policy"));
    }

    /** A console that was opened while a node was down is loaded again when the node is back. */
    @Test
    void the_policy_admits_a_node_as_soon_as_it_is_up() {
        assertTrue(
                header(api.get("/"), "Content-Security-Policy").endsWith(" connect-src 'self' http://127.0.0.1:8081"));
        api.cluster.addresses = List.of("http://127.0.0.1:8081", "http://[::1]:8082", "");
        assertTrue(
                header(api.get("/"), "Content-Security-Policy").endsWith(" http://127.0.0.1:8081 http://[::1]:8082"));
    }

    @Test
    void an_unchanged_file_is_not_sent_again() {
        Reply first = api.get("/console/main.js");
        assertEquals("text/javascript;charset=utf-8", header(first, "Content-Type"));
        Reply second = api.send(api.request("/console/main.js").header("If-None-Match", header(first, "ETag")));
        assertStatus(304, second);
        assertEquals("", second.raw().body());
    }
}
