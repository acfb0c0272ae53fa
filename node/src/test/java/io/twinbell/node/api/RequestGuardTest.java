package io.twinbell.node.api;

import static io.twinbell.node.api.ApiFixture.assertStatus;
import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.URI;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class RequestGuardTest {
    private static final String HOST = "Host: 127.0.0.1";

    @AutoClose
    private static final ApiFixture api = new ApiFixture();

    @ParameterizedTest
    @ValueSource(
            strings = {
                "evil.example",
                "evil.example:8081",
                "localhost.evil.example",
                "127.0.0.1.evil.example",
                "127.0.0.1@evil.example",
                "notlocalhost",
                "198.51.100.7",
                "0.0.0.0:8081",
                "[2001:db8::1]:8081",
                "2130706433",
                "0x7f.1",
                "tb.example.org.evil"
            })
    void a_foreign_host_is_refused_on_reads_writes_and_health(String host) throws IOException {
        assertAll(
                () -> assertRefusedHost("GET", "/api/v1/tasks", host),
                () -> assertRefusedHost("POST", "/api/v1/cluster/resume", host),
                () -> assertRefusedHost("GET", "/health/ready", host));
    }

    private static void assertRefusedHost(String method, String path, String host) throws IOException {
        int status = RawRequest.status(api, method, path, "Host: " + host, "Content-Length: 0");
        assertTrue(status == 421 || status == 400, host + " was answered with " + status);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "localhost",
                "LOCALHOST:9",
                "localhost.",
                "a.localhost",
                "127.0.0.1",
                "127.9.9.9:1",
                "[::1]:8081",
                "[::ffff:127.0.0.1]",
                "tb.example.org:443",
                "TB.example.org",
                "n7.cluster.example",
                "203.0.113.9:81"
            })
    void own_addresses_and_configured_names_are_answered(String host) throws IOException {
        assertEquals(200, RawRequest.status(api, "GET", "/api/v1/tasks", "Host: " + host), host);
    }

    @ParameterizedTest
    @CsvSource({
        "/api/v1/session,  127.0.0.1,   200",
        "/api/v1/tasks/0,  127.0.0.1,   404",
        "/no/such/path,    127.0.0.1,   404",
        "/api/v1/tasks,    evil.example, 421"
    })
    void no_answer_is_stored_or_taken_for_another_type(String path, String host, String status) throws IOException {
        String answer = RawRequest.exchange(api, "GET", path, "Host: " + host);
        assertTrue(answer.startsWith("HTTP/1.1 " + status), answer);
        assertTrue(answer.contains("Cache-Control: no-store\r\n"), answer);
        assertTrue(answer.contains("X-Content-Type-Options: nosniff\r\n"), answer);
    }

    @Test
    void an_old_client_that_sends_no_host_is_answered() throws IOException {
        try (RawRequest request = new RawRequest(api)) {
            request.write("GET /health/live HTTP/1.0\r\n\r\n");
            assertEquals(200, request.status());
        }
    }

    @Test
    void a_bare_line_feed_ends_no_header() throws IOException {
        for (String head : new String[] {
            "GET /health/live HTTP/1.1\n" + HOST + "\n\n", "GET /health/live HTTP/1.1\r\n" + HOST + "\nX: y\r\n\r\n"
        }) {
            try (RawRequest request = new RawRequest(api)) {
                request.write(head);
                assertEquals(400, request.status());
            }
        }
    }

    @Test
    void a_target_with_another_host_than_the_header_is_refused() throws IOException {
        try (RawRequest request = new RawRequest(api)) {
            request.write("GET http://evil.example/api/v1/tasks HTTP/1.1\r\n" + HOST + "\r\n\r\n");
            int status = request.status();
            assertTrue(status == 400 || status == 421, "answered with " + status);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "X-HTTP-Method-Override",
                "x-http-method-override",
                "X-HTTP-Method",
                "X-Method-Override",
                "X_HTTP_METHOD_OVERRIDE",
                "HTTP-Method-Override"
            })
    void a_header_never_replaces_the_method(String header) throws IOException {
        long id = api.task("kept-" + header);
        for (String method : new String[] {"GET", "HEAD", "POST"}) {
            assertEquals(
                    400,
                    RawRequest.status(
                            api, method, "/api/v1/tasks?app=billing", HOST, header + ": DELETE", "Content-Length: 0"),
                    method);
        }
        assertEquals(400, RawRequest.status(api, "GET", "/api/v1/tasks?app=billing&_method=DELETE", HOST));
        assertStatus(200, api.get("/api/v1/tasks/" + id));
    }

    @ParameterizedTest
    @CsvSource({
        "Origin: https://evil.example, 403",
        "Origin: null, 403",
        "Origin: http://localhost:3000, 403",
        "Origin: http://127.0.0.1:1, 403",
        "Origin: , 403",
        "Sec-Fetch-Site: cross-site, 403",
        "Sec-Fetch-Site: same-site, 403",
        "sec-fetch-site: Cross-Site, 403",
        "Sec-Fetch-Site: same-origin, 200",
        "Sec-Fetch-Site: none, 200",
        "Origin: http://127.0.0.1, 200",
        "Content-Type: text/plain, 415",
        "Content-Type: application/x-www-form-urlencoded, 415",
        "Content-Type: multipart/form-data; boundary=x, 415",
        "Content-Type: text/plain; application/json, 415",
        "Content-Type: application/json; charset=iso-8859-1, 415",
        "Content-Type: application/json; charset=utf-16, 415",
        "Content-Type: , 415",
        "Content-Type: application/json; charset=UTF-8, 200",
        "Content-Encoding: gzip, 415"
    })
    void a_write_is_let_in_only_if_no_foreign_page_can_have_sent_it(String header, int status) throws IOException {
        for (String path :
                new String[] {"/api/v1/cluster/pause", "/api/v1/cluster/resume", "/api/v1/tasks/pause?app=nobody"}) {
            assertEquals(status, RawRequest.status(api, "POST", path, HOST, header, "Content-Length: 0"), path);
        }
        api.cluster.pause = null;
    }

    @Test
    void two_origins_are_no_way_round_the_check() throws IOException {
        assertEquals(
                403,
                RawRequest.status(
                        api,
                        "POST",
                        "/api/v1/cluster/resume",
                        HOST,
                        "Origin: http://127.0.0.1",
                        "Origin: https://evil.example",
                        "Content-Length: 0"));
    }

    @Test
    void plain_reads_are_answered_for_every_origin_without_letting_its_page_read_them() throws IOException {
        String answer = RawRequest.exchange(
                api, "GET", "/api/v1/tasks", HOST, "Origin: https://evil.example", "Sec-Fetch-Site: cross-site");
        assertTrue(answer.startsWith("HTTP/1.1 200"), answer);
        assertTrue(!answer.toLowerCase(java.util.Locale.ROOT).contains("access-control-allow"), answer);
    }

    @Test
    void a_body_where_none_is_read_is_refused() throws IOException {
        api.task("with-body");
        for (String method : new String[] {"GET", "DELETE"}) {
            try (RawRequest request = new RawRequest(api)) {
                request.write(method + " /api/v1/tasks?app=billing HTTP/1.1\r\n" + HOST
                        + "\r\nContent-Type: application/json\r\nContent-Length: 14\r\n\r\n{\"app\":\"other\"");
                assertEquals(400, request.status(), method);
            }
        }
        assertEquals(1, api.number("select count(*) from twinbell.task where name = 'with-body'"));
    }

    @Test
    void every_answer_is_utf8_and_says_so() throws IOException {
        String missing = RawRequest.exchange(api, "GET", "/api/v1/limits/%C3%BC%E6%97%A5%E2%82%AC", HOST);
        assertTrue(missing.contains("ü日€"), missing);
        String app = RawRequest.exchange(api, "GET", "/api/v1/tasks?%E6%97%A5=1", HOST);
        assertTrue(app.contains("日"), app);
        String host = RawRequest.exchange(api, "GET", "/api/v1/tasks", "Host: evil.example");
        for (String answer : new String[] {
            missing,
            app,
            host,
            RawRequest.exchange(api, "GET", "/api/v1/tasks", HOST),
            RawRequest.exchange(api, "GET", "/nothing", HOST),
            RawRequest.exchange(api, "PUT", "/api/v1/tasks", HOST, "Content-Length: 0"),
            RawRequest.exchange(api, "GET", "/metrics", HOST),
            RawRequest.exchange(api, "GET", "/openapi.json", HOST),
            RawRequest.exchange(api, "GET", "/health/ready", HOST)
        }) {
            String head = answer.substring(0, answer.indexOf("\r\n\r\n")).toLowerCase(java.util.Locale.ROOT);
            assertTrue(head.contains("charset=utf-8"), head);
        }
    }

    @ParameterizedTest
    @CsvSource({
        "GET, /api/v1/calendars/a%EF%BF%BDb, the name in the path contains U+FFFD",
        "PUT, /api/v1/calendars/a%ef%bf%bdb, the name in the path contains U+FFFD",
        "DELETE, /api/v1/limits/%EF%BF%BD, the key in the path contains U+FFFD",
        "GET, /api/v1/calendars/a%0Ab, the name in the path contains control characters",
        "GET, /api/v1/tasks?q=%EF%BF%BD, contains U+FFFD",
        "GET, /api/v1/tasks?q=%FF, is not percent-encoded UTF-8",
        "GET, /api/v1/tasks?q=%00, contains the character U+0000",
    })
    void a_refused_name_is_refused_for_its_own_reason(String method, String path, String reason) throws IOException {
        String answer = RawRequest.exchange(api, method, path, HOST);
        assertTrue(answer.startsWith("HTTP/1.1 400 "), answer);
        assertTrue(answer.contains(reason), answer);
    }

    @Test
    void names_in_a_path_are_utf8_and_broken_ones_are_refused() throws IOException {
        String task = "{\"schedule\":{\"every\":\"PT1H\"},\"handler\":{\"type\":\"java\",\"key\":\"k\"}}";
        assertStatus(201, api.json("PUT", "/api/v1/apps/%E6%97%A5/tasks/%C3%BC", task));
        assertEquals("ü", api.get("/api/v1/apps/%E6%97%A5/tasks/%C3%BC").text("/name"));
        for (String broken : new String[] {"%FF", "%C3%28", "%00", "a%0Ab", "%ED%A0%80"}) {
            assertEquals(400, RawRequest.status(api, "GET", "/api/v1/apps/a/tasks/" + broken, HOST), broken);
            assertEquals(400, RawRequest.status(api, "DELETE", "/api/v1/limits/" + broken, HOST), broken);
        }
        assertEquals(
                404,
                RawRequest.status(
                        api, "GET", "/api/v1/limits/" + URI.create("x").getPath(), HOST));
    }
}
