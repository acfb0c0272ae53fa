package io.twinbell.node.api;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.twinbell.node.access.AccessPolicy;
import io.twinbell.node.access.AccessRole;
import io.twinbell.node.access.RoleMapping;
import io.twinbell.node.api.port.ApiAddress;
import io.twinbell.node.tls.LiveTls;
import io.twinbell.node.tls.TlsFiles;
import io.twinbell.node.tls.TlsFiles.Clients;
import io.twinbell.node.tls.TlsInit;
import io.twinbell.node.tls.TlsMaterial;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import javax.net.ssl.SSLHandshakeException;
import javax.net.ssl.SSLSocket;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TlsApiTest {
    private static final String LIVE = "GET /health/live HTTP/1.1\r\nHost: localhost\r\n\r\n";

    @TempDir
    static Path issued;

    @TempDir
    Path directory;

    private TlsInit authority;
    private ApiFixture api;

    /** Once for all tests, which work on copies. */
    @BeforeAll
    static void issue() throws Exception {
        new TlsInit(issued, 30).issue(List.of(node("a"), client("deploy"), client("guest")), false);
    }

    @AfterEach
    void stop() {
        api.close();
    }

    private void start(Clients clients) throws Exception {
        start(clients, AccessPolicy.OPEN);
    }

    private void start(Clients clients, AccessPolicy access) throws Exception {
        authority = new TlsInit(directory, 30);
        try (Stream<Path> files = Files.list(issued)) {
            for (Path file : files.toList()) {
                Files.copy(file, directory.resolve(file.getFileName()), StandardCopyOption.COPY_ATTRIBUTES);
            }
        }
        TlsFiles files = new TlsFiles(
                authority.certificate("a"), authority.key("a"), null, authority.certificate("ca"), null, clients);
        api = new ApiFixture(
                access,
                new ApiAddress(
                        "127.0.0.1", 0, List.of(), LiveTls.read(files), new ApiAddress.HealthAddress("127.0.0.1", 0)));
    }

    private static TlsInit.Request node(String name) {
        return new TlsInit.Request(name, List.of("127.0.0.1", "localhost"), TlsInit.Use.NODE);
    }

    private static TlsInit.Request client(String name) {
        return new TlsInit.Request(name, List.of(), TlsInit.Use.CLIENT);
    }

    private int port() {
        return URI.create(api.url()).getPort();
    }

    private TlsMaterial trusting() throws IOException {
        return TlsMaterial.read(TlsFiles.forClient(authority.certificate("ca"), null, null));
    }

    private TlsMaterial presenting(TlsInit issuer, String name) throws IOException {
        return TlsMaterial.read(
                TlsFiles.forClient(authority.certificate("ca"), issuer.certificate(name), issuer.key(name)));
    }

    private SSLSocket connected(TlsMaterial material, String... protocols) throws IOException {
        SSLSocket socket = (SSLSocket) material.client().getSocketFactory().createSocket("127.0.0.1", port());
        socket.setSoTimeout(30_000);
        if (protocols.length > 0) {
            socket.setEnabledProtocols(protocols);
        }
        return socket;
    }

    private static String status(Socket socket, String request) throws IOException {
        return answer(socket, request).substring(9, 12);
    }

    /** Reads the headers and the body of one answer. */
    private static String answer(Socket socket, String request) throws IOException {
        socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
        StringBuilder read = new StringBuilder();
        while (read.indexOf("\r\n\r\n") < 0) {
            int next = socket.getInputStream().read();
            if (next < 0) {
                throw new IOException("closed after \"" + read + "\"");
            }
            read.append((char) next);
        }
        int length = Integer.parseInt(read.toString().replaceAll("(?s).*Content-Length: (\\d+).*", "$1"));
        return read + new String(socket.getInputStream().readNBytes(length), StandardCharsets.UTF_8);
    }

    private static String serial(SSLSocket socket) throws IOException {
        return ((X509Certificate) socket.getSession().getPeerCertificates()[0])
                .getSerialNumber()
                .toString();
    }

    @Test
    void a_client_that_trusts_the_authority_is_served_over_tls_1_2_and_1_3() throws Exception {
        start(Clients.NONE);
        for (String protocol : List.of("TLSv1.2", "TLSv1.3")) {
            try (SSLSocket socket = connected(trusting(), protocol)) {
                assertEquals("200", status(socket, LIVE));
                assertEquals(protocol, socket.getSession().getProtocol());
            }
        }
        HttpResponse<String> answer = HttpClient.newBuilder()
                .sslContext(trusting().client())
                .build()
                .send(
                        HttpRequest.newBuilder(URI.create("https://localhost:" + port() + "/api/v1/tasks"))
                                .build(),
                        HttpResponse.BodyHandlers.ofString());
        assertEquals(200, answer.statusCode());
    }

    @Test
    void a_client_that_does_not_trust_the_authority_and_one_without_tls_get_nothing() throws Exception {
        start(Clients.NONE);
        try (SSLSocket socket = connected(TlsMaterial.read(TlsFiles.NONE))) {
            assertThrows(SSLHandshakeException.class, socket::startHandshake);
        }
        try (RawRequest plain = new RawRequest(api)) {
            plain.write(LIVE);
            assertTrue(!plain.answer().contains("HTTP/1.1 200"));
        }
    }

    @Test
    void a_renewed_certificate_is_used_for_new_connections_and_open_ones_go_on() throws Exception {
        start(Clients.NONE);
        try (SSLSocket open = connected(trusting())) {
            assertEquals("200", status(open, LIVE));
            String before = serial(open);
            authority.issue(List.of(node("a")), true);
            api.api.lookForCertificates();
            await().until(() -> {
                try (SSLSocket next = connected(trusting())) {
                    next.startHandshake();
                    return !serial(next).equals(before);
                }
            });
            assertEquals("200", status(open, LIVE));
            assertEquals(before, serial(open));
        }
    }

    @Test
    void no_request_fails_while_certificates_are_renewed() throws Exception {
        start(Clients.NONE);
        TlsMaterial trusting = trusting();
        Set<String> serials = ConcurrentHashMap.newKeySet();
        AtomicBoolean isOver = new AtomicBoolean();
        List<CompletableFuture<Void>> clients = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            clients.add(CompletableFuture.runAsync(
                    () -> {
                        while (!isOver.get()) {
                            serials.add(serialAfterTwoRequests(trusting));
                        }
                    },
                    runnable -> new Thread(runnable, "client").start()));
        }
        authority.issue(List.of(node("a")), true);
        await("the server looks by itself").until(() -> has(serials, 2, clients));
        authority.issue(List.of(node("a")), true);
        api.api.lookForCertificates();
        await().until(() -> has(serials, 3, clients));
        isOver.set(true);
        clients.forEach(CompletableFuture::join);
        assertEquals(3, serials.size());
    }

    private static boolean has(Set<String> serials, int number, List<CompletableFuture<Void>> clients) {
        return serials.size() == number || clients.stream().anyMatch(CompletableFuture::isDone);
    }

    private String serialAfterTwoRequests(TlsMaterial trusting) {
        try (SSLSocket socket = connected(trusting)) {
            for (int i = 0; i < 2; i++) {
                assertEquals("200", status(socket, LIVE));
            }
            return serial(socket);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void a_damaged_renewal_leaves_the_previous_certificate_in_use() throws Exception {
        start(Clients.NONE);
        Files.writeString(authority.certificate("a"), "half a certif");
        for (int looks = 0; looks < 3; looks++) {
            api.api.lookForCertificates();
            try (SSLSocket next = connected(trusting())) {
                assertEquals("200", status(next, LIVE));
            }
        }
    }

    @Test
    void required_client_certificates_must_come_from_the_authority() throws Exception {
        start(Clients.REQUIRED);
        try (SSLSocket socket = connected(presenting(authority, "deploy"))) {
            assertEquals("200", status(socket, LIVE));
        }
        assertThrows(IOException.class, () -> {
            try (SSLSocket socket = connected(trusting())) {
                status(socket, LIVE);
            }
        });
        TlsInit foreign = new TlsInit(directory.resolve("foreign"), 30);
        foreign.issue(List.of(client("deploy")), false);
        assertThrows(IOException.class, () -> {
            try (SSLSocket socket = connected(presenting(foreign, "deploy"))) {
                status(socket, LIVE);
            }
        });
    }

    @Test
    void a_page_of_another_scheme_is_foreign_and_browsers_are_told_to_use_tls() throws Exception {
        start(Clients.NONE);
        String write =
                "POST /api/v1/schedules/preview HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\nContent-Type: application/json\r\nOrigin: %s\r\n\r\n";
        try (SSLSocket socket = connected(trusting())) {
            assertEquals("403", status(socket, write.formatted("http://localhost")));
            assertEquals("400", status(socket, write.formatted("https://localhost")));
            String answer = answer(socket, LIVE);
            assertTrue(answer.contains("Strict-Transport-Security: max-age=86400"), answer);
        }
    }

    @Test
    void a_client_certificate_has_the_role_of_its_common_name() throws Exception {
        AccessPolicy access = new AccessPolicy(
                Optional.empty(),
                List.of(),
                List.of(new RoleMapping("deploy", AccessRole.OPERATOR, Set.of("shop"), Set.of())),
                "");
        start(Clients.OPTIONAL, access);
        String list = LIVE.replace("/health/live", "/api/v1/tasks");
        String pause = "POST /api/v1/tasks/pause?app=shop HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n";
        String edit = pause.replace("POST /api/v1/tasks/pause?app=shop", "DELETE /api/v1/tasks?app=shop");
        try (SSLSocket socket = connected(presenting(authority, "deploy"))) {
            assertEquals("200", status(socket, list));
            assertEquals("200", status(socket, pause));
            assertEquals("403", status(socket, edit));
            assertEquals("403", status(socket, pause.replace("app=shop", "app=other")));
            String session = answer(socket, LIVE.replace("/health/live", "/api/v1/session"));
            assertTrue(session.contains("\"principal\":\"certificate deploy\""), session);
        }
        try (SSLSocket socket = connected(trusting())) {
            assertEquals("401", status(socket, list));
        }
        try (SSLSocket socket = connected(presenting(authority, "guest"))) {
            assertEquals("401", status(socket, list));
        }
    }

    @Test
    void the_health_port_answers_health_checks_only() throws Exception {
        start(Clients.REQUIRED);
        try (Socket socket = new Socket("127.0.0.1", api.api.healthPort())) {
            socket.setSoTimeout(30_000);
            assertEquals("200", status(socket, LIVE));
            assertEquals("404", status(socket, LIVE.replace("/health/live", "/api/v1/tasks")));
            assertEquals("404", status(socket, LIVE.replace("/health/live", "/health/../api/v1/tasks")));
        }
    }

    @Test
    void a_connection_without_a_handshake_ends_after_ten_seconds() throws Exception {
        start(Clients.NONE);
        try (Socket silent = new Socket("127.0.0.1", port())) {
            silent.setSoTimeout(30_000);
            try (SSLSocket other = connected(trusting())) {
                // The server has taken in all connections that were opened before this one.
                assertEquals("200", status(other, LIVE));
            }
            api.serverTicker.pass(Duration.ofSeconds(11));
            assertEquals(-1, silent.getInputStream().read());
        }
    }

    @Test
    void a_body_that_does_not_arrive_is_answered_408_over_tls() throws Exception {
        start(Clients.NONE);
        try (SSLSocket slow = connected(trusting())) {
            slow.getOutputStream()
                    .write(("POST /api/v1/tasks/pause?app=x HTTP/1.1\r\nHost: localhost\r\nContent-Type:"
                                    + " application/json\r\nContent-Length: 100\r\nExpect: 100-continue\r\n\r\n")
                            .getBytes(StandardCharsets.US_ASCII));
            // The server says so when it waits for the body.
            assertEquals("HTTP/1.1 100 Continue\r\n\r\n", read(slow, 25));
            slow.getOutputStream().write('{');
            api.serverTicker.pass(Duration.ofSeconds(6));
            assertEquals("HTTP/1.1 408", read(slow, 12));
        }
    }

    private static String read(Socket socket, int bytes) throws IOException {
        return new String(socket.getInputStream().readNBytes(bytes), StandardCharsets.US_ASCII);
    }
}
