package io.twinbell.node.handler.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.sun.net.httpserver.HttpServer;
import io.twinbell.node.engine.handler.HandlerOutcome;
import io.twinbell.node.handler.config.HandlerConfig.Secret;
import io.twinbell.node.handler.config.HostList;
import io.twinbell.node.json.FieldError;
import io.twinbell.node.json.StrictJson;
import io.twinbell.node.task.definition.AlertCall;
import io.twinbell.node.task.definition.HandlerSpec;
import io.twinbell.node.template.BodyTemplate;
import io.twinbell.node.template.UrlTemplate;
import io.twinbell.persistence.epoch.Epoch;
import io.twinbell.persistence.ledger.ExecutionState;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.LinkedBlockingQueue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Where secrets may be sent, and by which tasks, with a real receiver that echoes the request. */
@Timeout(30)
class SecretScopeTest {
    private static final Map<String, Secret> SECRETS = Map.of(
            "ANYWHERE", new Secret("value-anywhere"),
            "HERE", new Secret("value/here+", HostList.of("127.0.0.0/8", "*.here.example"), Set.of()),
            "ELSEWHERE", new Secret("value-elsewhere", HostList.of("elsewhere.example"), Set.of()),
            "OURS", new Secret("value-ours", HostList.EMPTY, Set.of("app")),
            "THEIRS", new Secret("value-theirs", HostList.EMPTY, Set.of("other", "third")));

    private final HttpCaller caller = HttpCalls.scoped(List.of(), SECRETS);
    private final LinkedBlockingQueue<String> received = new LinkedBlockingQueue<>();
    private HttpServer receiver;

    @BeforeEach
    void start() throws IOException {
        receiver = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 10);
        receiver.createContext("/", exchange -> {
            String told = exchange.getRequestURI() + " "
                    + exchange.getRequestHeaders().getFirst("X-Key");
            received.add(told);
            exchange.sendResponseHeaders(200, 0);
            exchange.getResponseBody().write(told.getBytes());
            exchange.close();
        });
        receiver.start();
    }

    @AfterEach
    void stop() {
        caller.close();
        receiver.stop(0);
    }

    @Test
    void a_secret_goes_to_its_hosts_and_for_its_apps_alone() throws Exception {
        assertEquals(ExecutionState.SUCCEEDED, call("ANYWHERE").state());
        assertEquals(ExecutionState.SUCCEEDED, call("HERE").state());
        assertEquals(ExecutionState.SUCCEEDED, call("OURS").state());
        assertEquals(3, received.size());
        assertTrue(
                call("ELSEWHERE").error().contains("ELSEWHERE may not be sent to 127.0.0.1; secrets.ELSEWHERE.hosts"));
        assertTrue(call("THEIRS").error().contains("THEIRS is not for the app \"app\"; secrets.THEIRS.apps"));
        assertEquals(3, received.size());
    }

    @Test
    void a_secret_that_would_be_refused_at_the_fire_time_is_refused_when_stored() {
        assertEquals(List.of(), refusals("app", "http://127.0.0.1/", "ANYWHERE"));
        assertEquals(List.of(), refusals("app", "http://a.here.example/", "HERE"));
        assertEquals(List.of(), refusals("app", "http://127.0.0.1/", "NOT_CONFIGURED"));
        for (String host :
                List.of("here.example", "evil-here.example", "a.here.example.evil", "128.0.0.1", "localhost")) {
            assertEquals(
                    List.of("/headers/X-Key", "/secret/ref"), refusals("app", "http://" + host + "/", "HERE"), host);
        }
        assertEquals(List.of("/headers/X-Key", "/secret/ref"), refusals("ap", "http://127.0.0.1/", "OURS"));
        assertEquals(List.of("/headers/X-Key", "/secret/ref"), refusals(null, "http://127.0.0.1/", "OURS"));
        assertEquals(List.of("/url"), refusals("app", "http://127.0.0.1:6379/", "ANYWHERE"));
        assertEquals(List.of("/url"), refusals("app", "http://127.0.0.1:25/", "ANYWHERE"));
        assertEquals(List.of("/url"), refusals("app", "http://169.254.169.254/", "ANYWHERE"));
        assertEquals(List.of(), refusals("app", "not a url", "THEIRS"));
    }

    private List<String> refusals(String app, String url, String secret) {
        JsonNode call = StrictJson.readStored("{\"url\":\"" + url + "\",\"headers\":{\"X-Key\":\"a ${secret." + secret
                + "}\",\"X-Plain\":\"$${secret.THEIRS}\"},\"secret\":{\"ref\":\"" + secret + "\"}}");
        return caller.refusals(app, call).stream().map(FieldError::pointer).toList();
    }

    @Test
    void an_alerts_url_carries_a_secret_in_one_piece_and_what_is_kept_covers_it() throws Exception {
        HandlerOutcome told = alert("/hooks/${secret.HERE}?k=${secret.HERE}");
        assertEquals("/hooks/value%2Fhere%2B?k=value%2Fhere%2B null", received.take());
        assertEquals(HandlerOutcome.succeeded("HTTP 200\n/hooks/***?k=*** null"), told);
        assertTrue(alert("/${secret.ELSEWHERE}").error().contains("may not be sent to 127.0.0.1"));
        assertTrue(alert("/${secret.OURS}").error().contains("an alert, because an alert has no app"));
        assertTrue(received.isEmpty());
    }

    @Test
    void a_port_of_another_protocol_is_not_called_nor_reached_by_a_redirect() {
        HandlerSpec.HttpCall smtp =
                HttpCalls.spec("GET", "http://127.0.0.1:25/", Map.of(), null, HandlerSpec.HttpRules.DEFAULT);
        HandlerOutcome outcome = caller.start(HttpCalls.call(smtp, null), smtp).join();
        assertTrue(outcome.error().contains("the port 25 belongs to another protocol"), outcome.error());
        assertFalse(new BlockedPorts(Set.of(25)).refusal(smtp.url().origin()).isPresent());
    }

    private HandlerOutcome call(String secret) {
        HandlerSpec.HttpCall spec = HttpCalls.spec(
                "GET", url("/x"), Map.of("X-Key", "${secret." + secret + "}"), null, HandlerSpec.HttpRules.DEFAULT);
        return caller.start(HttpCalls.call(spec, null), spec).join();
    }

    private HandlerOutcome alert(String path) {
        HandlerSpec.HttpCall webhook = new HandlerSpec.HttpCall(
                "POST",
                UrlTemplate.parseWithSecrets(url(path)),
                Map.of(),
                BodyTemplate.parse("{}", null),
                HandlerSpec.HttpRules.DEFAULT);
        Epoch epoch = new Epoch(42, new UUID(0, 1), "a", 0);
        return caller.start(new AlertCall(webhook, "n", "key", 1, epoch, StrictJson.readStored("{}")))
                .join();
    }

    private String url(String path) {
        return "http://127.0.0.1:" + receiver.getAddress().getPort() + path;
    }
}
