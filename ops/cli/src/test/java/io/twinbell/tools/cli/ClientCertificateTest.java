package io.twinbell.tools.cli;

import static io.twinbell.tools.cli.TypedCommand.assertExit;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsParameters;
import com.sun.net.httpserver.HttpsServer;
import io.twinbell.node.tls.TlsFiles;
import io.twinbell.node.tls.TlsMaterial;
import io.twinbell.tools.client.ClientTls;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A node with {@code http.tls.clientCertificates: REQUIRED}. */
class ClientCertificateTest {
    private static final byte[] SELF =
            "{\"id\":\"a\",\"role\":\"MASTER\",\"epoch\":3}".getBytes(StandardCharsets.UTF_8);

    @TempDir
    private static Path tls;

    private HttpsServer node;
    private String url;

    @BeforeAll
    static void makeCertificates() {
        assertExit(0, TypedCommand.twinbell("tls-init", tls.toString(), "--node", "a", "--client", "operator"));
    }

    @AfterEach
    void stop() {
        node.stop(0);
        ClientTls.use(TlsFiles.NONE);
    }

    /** @param version with 1.3 a client learns only after its handshake that it was refused */
    private void start(String version) throws Exception {
        SSLContext context = TlsMaterial.read(new TlsFiles(
                        tls.resolve("a.pem"),
                        tls.resolve("a-key.pem"),
                        null,
                        tls.resolve("ca.pem"),
                        null,
                        TlsFiles.Clients.REQUIRED))
                .client();
        node = HttpsServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 10);
        node.setHttpsConfigurator(new HttpsConfigurator(context) {
            @Override
            public void configure(HttpsParameters parameters) {
                SSLParameters ssl = context.getDefaultSSLParameters();
                ssl.setNeedClientAuth(true);
                ssl.setProtocols(new String[] {version});
                parameters.setSSLParameters(ssl);
            }
        });
        node.createContext("/", exchange -> {
            exchange.sendResponseHeaders(200, SELF.length);
            exchange.getResponseBody().write(SELF);
            exchange.close();
        });
        node.start();
        url = "https://127.0.0.1:" + node.getAddress().getPort();
    }

    private static String file(String name) {
        return tls.resolve(name).toString();
    }

    /** The command gives a node two seconds, in which a busy machine may not finish a handshake. */
    private static TypedCommand answered(String... words) {
        return await().until(
                        () -> TypedCommand.twinbell(words),
                        command -> !command.err().contains("timed out"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"TLSv1.2", "TLSv1.3"})
    void status_names_the_options_for_a_certificate_that_the_node_requires(String version) throws Exception {
        start(version);
        for (int i = 0; i < 5; i++) {
            TypedCommand without = answered("status", "--url", url, "--ca", file("ca.pem"));
            assertExit(3, without);
            assertTrue(without.out().contains("? UNREACHABLE"), without.out());
            assertTrue(without.err().contains("this client has no certificate; --cert and --key"), without.err());
        }
        TypedCommand with = answered(
                "status",
                "--url",
                url,
                "--ca",
                file("ca.pem"),
                "--cert",
                file("operator.pem"),
                "--key",
                file("operator-key.pem"));
        assertTrue(with.out().startsWith("a MASTER epoch=3 "), with.out() + with.err());
    }

    @ParameterizedTest
    @ValueSource(strings = "TLSv1.3")
    void an_authority_that_is_unknown_to_the_client_is_no_missing_certificate(String version) throws Exception {
        start(version);
        TypedCommand status = answered("status", "--url", url);
        assertExit(3, status);
        assertTrue(status.err().contains("--ca or TWINBELL_CA"), status.err());
        assertFalse(status.err().contains("--cert"), status.err());
    }
}
