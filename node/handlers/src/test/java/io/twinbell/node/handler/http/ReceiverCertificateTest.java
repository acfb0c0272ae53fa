package io.twinbell.node.handler.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import io.twinbell.node.engine.handler.HandlerOutcome;
import io.twinbell.node.handler.config.HostList;
import io.twinbell.node.handler.secret.Secrets;
import io.twinbell.node.task.definition.HandlerSpec;
import io.twinbell.node.template.HttpUrl;
import io.twinbell.node.tls.TlsFiles;
import io.twinbell.node.tls.TlsInit;
import io.twinbell.node.tls.TlsMaterial;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import javax.net.ssl.SSLContext;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Calls of a real receiver whose certificate is valid for {@code localhost} alone. */
@Timeout(30)
class ReceiverCertificateTest {
    @TempDir
    private Path directory;

    private HttpsServer receiver;
    private HttpTransport wire;

    @BeforeEach
    void start() throws Exception {
        TlsInit authority = new TlsInit(directory, 30);
        authority.issue(List.of(new TlsInit.Request("r", List.of("localhost"), TlsInit.Use.NODE)), false);
        receiver = HttpsServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 10);
        receiver.setHttpsConfigurator(new HttpsConfigurator(
                TlsMaterial.read(TlsFiles.forClient(null, authority.certificate("r"), authority.key("r")))
                        .server()));
        receiver.createContext("/", exchange -> {
            exchange.sendResponseHeaders(200, -1);
            exchange.close();
        });
        receiver.start();
        SSLContext trust = TlsMaterial.read(TlsFiles.forClient(authority.certificate("ca"), null, null))
                .client();
        wire = new HttpTransport(CallRoute.direct(new CallTargets(HostList.EMPTY), trust));
    }

    @AfterEach
    void stop() {
        wire.close();
        receiver.stop(0);
    }

    @Test
    void a_certificate_of_another_host_is_refused_although_its_authority_is_trusted() {
        assertEquals("HTTP 200", call("localhost").output());
        HandlerOutcome refused = call("127.0.0.1");
        assertEquals("TLS_FAILED", refused.errorCode(), refused::toString);
        assertTrue(refused.error().contains("127.0.0.1"), refused::error);
    }

    private HandlerOutcome call(String host) {
        HttpUrl url =
                HttpUrl.parse("https://" + host + ":" + receiver.getAddress().getPort() + "/");
        return new HttpExchange(
                        wire,
                        HandlerSpec.HttpRules.DEFAULT,
                        new Secrets(Map.of()).ask("app", url),
                        receiver -> Optional.empty())
                .begin(new HttpMessage("GET", url, Map.of(), Map.of(), null))
                .join();
    }
}
