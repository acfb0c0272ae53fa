package io.twinbell.node.api.access;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.twinbell.TestNodes;
import io.twinbell.Twinbell;
import io.twinbell.persistence.testing.FreePort;
import io.twinbell.persistence.testing.TestPostgres;
import io.twinbell.persistence.testing.TestTasks;
import io.twinbell.persistence.testing.TestZooKeeper;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jose4j.jwk.JsonWebKey.OutputControlLevel;
import org.jose4j.jwk.RsaJsonWebKey;
import org.jose4j.jwk.RsaJwkGenerator;
import org.jose4j.jws.AlgorithmIdentifiers;
import org.jose4j.jws.JsonWebSignature;
import org.jose4j.keys.HmacKey;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.postgresql.ds.PGSimpleDataSource;

/**
 * A node with Keycloak as its OpenID Connect provider, set up as {@code ops/docs/SECURITY.md} says. The profile {@code
 * thorough} fetches Keycloak; without it the tests are skipped.
 */
@Tag("thorough")
@Timeout(900)
class KeycloakTest {
    private static final Path ZIP = Path.of("target", "keycloak", "keycloak.zip");
    /** A node reads the provider's keys again after ten seconds at the earliest. */
    private static final Duration KEYS_ARE_READ = Duration.ofSeconds(40);

    private static final Pattern FORM = Pattern.compile("action=\"([^\"]+)\"");

    @TempDir
    private static Path folder;

    private static final HttpClient CLIENT = HttpClient.newHttpClient();
    private static TestTasks tables;
    private static String zooKeeper;
    private static Twinbell node;
    private static Keycloak keycloak;
    private static int withoutProvider;
    private static String signInWithoutProvider;

    /** The node starts first: it has no provider then. */
    @BeforeAll
    static void start() throws Exception {
        assumeTrue(Files.exists(ZIP), "skipped: needs Keycloak, which -Pthorough fetches to " + ZIP);
        int port = FreePort.take();
        PGSimpleDataSource database = TestPostgres.freshDatabase();
        tables = new TestTasks(database);
        zooKeeper = TestZooKeeper.freshFolder();
        Twinbell.Builder builder = TestNodes.builder("a", database, zooKeeper)
                .set("http.access", "TOKENS")
                .set("http.adminToken", folder.resolve("admin-token").toString())
                .set("jmx.enabled", "false");
        settingsOfThePage().forEach(builder::set);
        node = builder.set("http.oidc.issuer", "http://127.0.0.1:" + port + "/realms/ops")
                .set("http.oidc.clientSecret", "console-secret")
                .start();
        await().atMost(Duration.ofMinutes(1)).until(() -> node.role().equals("MASTER"));
        withoutProvider = get("/api/v1/tasks", "e30.e30.e30").statusCode();
        signInWithoutProvider = location(get("/api/v1/session/sign-in", null));
        keycloak = Keycloak.unpacked(ZIP, folder.resolve("keycloak"), port, Keycloak.realm(node.url()));
        keycloak.start();
        String admin = Files.readString(folder.resolve("admin-token")).strip();
        for (String app : List.of("shop", "bank")) {
            assertEquals(201, post("/api/v1/tasks", admin, task(app, "t")).statusCode());
        }
    }

    @AfterAll
    static void stop() throws Exception {
        if (keycloak != null) {
            keycloak.kill();
        }
        if (node != null) {
            node.close();
        }
    }

    /** The lines of the page's block for Keycloak, without the issuer. */
    private static Map<String, String> settingsOfThePage() throws Exception {
        String page = Files.readString(Path.of("..", "ops", "docs", "SECURITY.md"));
        String block = page.substring(page.indexOf("### Keycloak"));
        block = block.substring(block.indexOf("```yaml\n") + 8);
        block = block.substring(0, block.indexOf("```"));
        Map<String, String> settings = new HashMap<>();
        for (String line : block.lines().toList()) {
            String[] parts = line.strip().split(": ", 2);
            if (parts.length == 2 && !parts[0].equals("issuer")) {
                settings.put("http.oidc." + parts[0], parts[1]);
            }
        }
        assertEquals(5, settings.size(), block);
        return settings;
    }

    private static String task(String app, String name) {
        return "{\"app\": \"" + app + "\", \"name\": \"" + name
                + "\", \"schedule\": {\"at\": \"2099-01-01T00:00:00Z\"}, \"handler\": {\"type\": \"log\"}}";
    }

    private static HttpResponse<String> get(String path, String token) throws Exception {
        return send(request(path, token).GET());
    }

    private static HttpResponse<String> post(String path, String token, String body) throws Exception {
        return send(
                request(path, token).header("Content-Type", "application/json").POST(BodyPublishers.ofString(body)));
    }

    private static HttpRequest.Builder request(String path, String token) {
        HttpRequest.Builder request =
                HttpRequest.newBuilder(URI.create(node.url() + path)).timeout(Duration.ofSeconds(30));
        return token == null ? request : request.header("Authorization", "Bearer " + token);
    }

    private static HttpResponse<String> send(HttpRequest.Builder request) throws Exception {
        return CLIENT.send(request.build(), BodyHandlers.ofString());
    }

    private static int status(String token) throws Exception {
        return get("/api/v1/tasks/1", token).statusCode();
    }

    private static String location(HttpResponse<?> response) {
        assertEquals(302, response.statusCode());
        return response.headers().firstValue("Location").orElseThrow();
    }

    @Test
    void without_its_provider_a_node_starts_and_refuses_its_tokens() {
        assertEquals(401, withoutProvider);
        assertEquals("/#/?signInFailed=no-answer", signInWithoutProvider);
    }

    @Test
    void people_and_programs_have_the_roles_and_apps_that_their_realm_roles_map_to() throws Exception {
        String ann = keycloak.accessToken("deploy", "ann");
        JsonNode session =
                new ObjectMapper().readTree(get("/api/v1/session", ann).body());
        assertEquals("user ann", session.path("principal").asText(), session.toString());
        assertEquals("ADMIN", session.path("role").asText());
        assertEquals(200, get("/api/v1/tasks?app=bank", ann).statusCode());
        String bob = keycloak.accessToken("deploy", "bob");
        assertEquals(200, get("/api/v1/tasks?app=shop", bob).statusCode());
        assertEquals(403, get("/api/v1/tasks?app=bank", bob).statusCode());
        assertEquals(201, post("/api/v1/tasks", bob, task("shop", "of-bob")).statusCode());
        assertEquals(403, post("/api/v1/tasks", bob, task("bank", "of-bob")).statusCode());
        assertEquals(403, get("/api/v1/tokens", bob).statusCode());
        tables.assertRows(
                "select actor from twinbell.audit_entry where act = 'CREATE' and name = 'of-bob'", "user bob");
        String program = keycloak.serviceToken("deploy");
        assertEquals(200, get("/api/v1/tasks?app=shop", program).statusCode());
        assertEquals(403, get("/api/v1/tasks?app=bank", program).statusCode());
        assertEquals(401, status(keycloak.accessToken("deploy", "eve")), "her role is not mapped");
    }

    @Test
    void tokens_for_others_id_tokens_and_refresh_tokens_are_refused() throws Exception {
        assertEquals(401, status(keycloak.accessToken("other", "ann")), "its audience is another");
        JsonNode login = keycloak.login("deploy", "ann");
        assertEquals(200, status(login.path("access_token").asText()));
        assertEquals(401, status(login.path("id_token").asText()));
        assertEquals(401, status(login.path("refresh_token").asText()));
    }

    @Test
    void a_token_ends_a_minute_after_it_has_expired() throws Exception {
        String token = keycloak.accessToken("hasty", "ann");
        assertEquals(200, status(token));
        await().atMost(Duration.ofMinutes(3))
                .pollInterval(Duration.ofSeconds(5))
                .until(() -> status(token) == 401);
    }

    @Test
    void forged_headers_keys_and_contents_are_refused() throws Exception {
        String[] bob = keycloak.accessToken("deploy", "bob").split("\\.");
        String[] ann = keycloak.accessToken("deploy", "ann").split("\\.");
        assertEquals(401, status(bob[0] + "." + ann[1] + "." + bob[2]), "contents of another token");
        for (String none : List.of("none", "None", "NONE")) {
            assertEquals(401, status(encoded("{\"alg\":\"" + none + "\"}") + "." + ann[1] + "."));
            assertEquals(401, status(encoded("{\"alg\":\"" + none + "\"}") + "." + ann[1] + "." + ann[2]));
        }
        String kid = new ObjectMapper().readTree(decoded(ann[0])).path("kid").asText();
        byte[] publicKey = Base64.getDecoder().decode(keycloak.publicKey());
        String pem = "-----BEGIN PUBLIC KEY-----\n" + keycloak.publicKey() + "\n-----END PUBLIC KEY-----\n";
        for (byte[] secret : List.of(publicKey, pem.getBytes(StandardCharsets.UTF_8))) {
            JsonWebSignature shared = forged(ann[1], kid);
            shared.setAlgorithmHeaderValue(AlgorithmIdentifiers.HMAC_SHA256);
            shared.setKey(new HmacKey(secret));
            assertEquals(401, status(shared.getCompactSerialization()), "the public key as a secret");
        }
        RsaJsonWebKey own = RsaJwkGenerator.generateJwk(2048);
        own.setKeyId(kid);
        JsonWebSignature embedded = forged(ann[1], kid);
        embedded.setAlgorithmHeaderValue(AlgorithmIdentifiers.RSA_USING_SHA256);
        embedded.setKey(own.getPrivateKey());
        assertEquals(401, status(embedded.getCompactSerialization()), "the key id of another key");
        embedded.getHeaders().setObjectHeaderValue("jwk", own.toParams(OutputControlLevel.PUBLIC_ONLY));
        assertEquals(401, status(embedded.getCompactSerialization()), "a key in the header");
        embedded.setHeader("jku", "http://127.0.0.1:1/keys");
        embedded.setHeader("x5u", "http://127.0.0.1:1/keys");
        assertEquals(401, status(embedded.getCompactSerialization()), "an address of keys in the header");
        assertEquals(200, status(String.join(".", ann)));
    }

    private static JsonWebSignature forged(String contents, String kid) {
        JsonWebSignature made = new JsonWebSignature();
        made.setPayload(decoded(contents));
        made.setKeyIdHeaderValue(kid);
        return made;
    }

    private static String encoded(String text) {
        return Base64.getUrlEncoder().withoutPadding().encodeToString(text.getBytes(StandardCharsets.UTF_8));
    }

    private static String decoded(String part) {
        return new String(Base64.getUrlDecoder().decode(part), StandardCharsets.UTF_8);
    }

    @Test
    void after_a_rotation_new_keys_are_accepted_and_retired_keys_end() throws Exception {
        String before = keycloak.accessToken("deploy", "ann");
        assertEquals(200, status(before));
        keycloak.rotate("second");
        String after = keycloak.accessToken("deploy", "ann");
        assertFalse(keyOf(before).equals(keyOf(after)), "Keycloak signs with another key");
        await().atMost(KEYS_ARE_READ).until(() -> status(after) == 200);
        assertEquals(200, status(before), "Keycloak still publishes the old key");
        keycloak.rotate("third");
        keycloak.retire("third");
        String last = keycloak.accessToken("deploy", "ann");
        await().atMost(KEYS_ARE_READ).until(() -> status(last) == 200);
        for (String retired : List.of(before, after)) {
            // Until the keys are read again, 503 says that the key may be new.
            await().atMost(KEYS_ARE_READ).until(() -> status(retired) == 401);
        }
    }

    private static String keyOf(String token) throws Exception {
        return new ObjectMapper()
                .readTree(decoded(token.split("\\.")[0]))
                .path("kid")
                .asText();
    }

    /** A browser that follows the redirects by hand, and keeps the cookies of each server. */
    private static final class Browser {
        private final Map<String, Map<String, String>> cookies = new HashMap<>();

        HttpResponse<String> get(URI uri) throws Exception {
            return send(uri, HttpRequest.newBuilder(uri).GET());
        }

        HttpResponse<String> post(URI uri, Map<String, String> form) throws Exception {
            return send(
                    uri,
                    HttpRequest.newBuilder(uri)
                            .header("Content-Type", "application/x-www-form-urlencoded")
                            .POST(BodyPublishers.ofString(Keycloak.encoded(form))));
        }

        HttpResponse<String> send(URI uri, HttpRequest.Builder request) throws Exception {
            Map<String, String> jar = cookies.computeIfAbsent(uri.getAuthority(), none -> new HashMap<>());
            if (!jar.isEmpty()) {
                StringBuilder all = new StringBuilder();
                jar.forEach((name, value) -> all.append(all.isEmpty() ? "" : "; ")
                        .append(name)
                        .append("=")
                        .append(value));
                request.header("Cookie", all.toString());
            }
            HttpResponse<String> response =
                    CLIENT.send(request.timeout(Duration.ofSeconds(30)).build(), BodyHandlers.ofString());
            for (String set : response.headers().allValues("Set-Cookie")) {
                String[] pair = set.split(";")[0].split("=", 2);
                if (pair[1].isEmpty() || set.contains("Max-Age=0")) {
                    jar.remove(pair[0]);
                } else {
                    jar.put(pair[0], pair[1]);
                }
            }
            return response;
        }

        /** The address at which Keycloak's page for this sign-in wants name and password. */
        URI loginForm() throws Exception {
            String page = location(get(URI.create(node.url() + "/api/v1/session/sign-in")));
            HttpResponse<String> form = get(URI.create(page));
            assertEquals(200, form.statusCode(), form.body());
            Matcher action = FORM.matcher(form.body());
            assertTrue(action.find(), form.body());
            return URI.create(action.group(1).replace("&amp;", "&"));
        }

        /** Returns the page of the console on which the sign-in ends. */
        String signIn(String person) throws Exception {
            String back = location(post(
                    loginForm(), Map.of("username", person, "password", person + "-password", "credentialId", "")));
            assertTrue(back.startsWith(node.url() + "/api/v1/session/sign-in/return?"), back);
            return location(get(URI.create(back)));
        }

        HttpResponse<String> api(String path) throws Exception {
            return get(URI.create(node.url() + path));
        }
    }

    @Test
    void people_sign_in_to_the_console_on_the_page_of_keycloak_and_sign_out() throws Exception {
        Browser browser = new Browser();
        assertEquals("/", browser.signIn("bob"));
        String session = browser.api("/api/v1/session").body();
        assertTrue(session.contains("\"principal\":\"user bob\""), session);
        assertTrue(session.contains("\"apps\":[\"shop\"]"), session);
        assertEquals(200, browser.api("/api/v1/tasks?app=shop").statusCode());
        assertEquals(403, browser.api("/api/v1/tasks?app=bank").statusCode());
        URI uri = URI.create(node.url() + "/api/v1/session");
        Map<String, String> kept = Map.copyOf(browser.cookies.get(uri.getAuthority()));
        assertEquals(
                204,
                browser.send(uri, HttpRequest.newBuilder(uri).DELETE().header("Origin", node.url()))
                        .statusCode());
        assertFalse(browser.cookies.get(uri.getAuthority()).equals(kept));
        assertEquals(401, browser.api("/api/v1/tasks?app=shop").statusCode());
    }

    @Test
    void a_code_works_once_and_only_in_the_browser_that_asked_for_it() throws Exception {
        Browser browser = new Browser();
        String back = location(browser.post(
                browser.loginForm(), Map.of("username", "ann", "password", "ann-password", "credentialId", "")));
        assertEquals("/#/?signInFailed=not-begun", location(new Browser().get(URI.create(back))), "a stolen code");
        Map<String, String> kept =
                Map.copyOf(browser.cookies.get(URI.create(node.url()).getAuthority()));
        assertEquals("/", location(browser.get(URI.create(back))));
        Browser again = new Browser();
        again.cookies.put(URI.create(node.url()).getAuthority(), new HashMap<>(kept));
        assertEquals("/#/?signInFailed=not-permitted", location(again.get(URI.create(back))), "a replayed code");
    }

    @Test
    void people_without_a_mapped_role_get_no_session() throws Exception {
        Browser browser = new Browser();
        assertEquals("/#/?signInFailed=not-permitted", browser.signIn("eve"));
        assertEquals(401, browser.api("/api/v1/tasks").statusCode());
    }

    @Test
    void a_frozen_or_killed_provider_ends_neither_known_tokens_nor_sessions() throws Exception {
        String token = keycloak.accessToken("deploy", "ann");
        await().atMost(KEYS_ARE_READ).until(() -> status(token) == 200);
        Browser browser = new Browser();
        assertEquals("/", browser.signIn("ann"));
        keycloak.signal("STOP");
        try {
            goesOn(token, browser);
        } finally {
            keycloak.signal("CONT");
        }
        keycloak.kill();
        goesOn(token, browser);
        // The discovery document of the last sign-in is used for ten seconds.
        await().atMost(KEYS_ARE_READ)
                .until(() -> location(get("/api/v1/session/sign-in", null)).equals("/#/?signInFailed=no-answer"));
        keycloak.start();
        await().atMost(KEYS_ARE_READ).until(() -> status(keycloak.accessToken("deploy", "bob")) == 200);
        assertEquals("/", new Browser().signIn("ann"));
    }

    private static void goesOn(String token, Browser browser) throws Exception {
        assertEquals(200, status(token));
        assertEquals(200, browser.api("/api/v1/tasks/1").statusCode());
        assertEquals(200, get("/health/ready", null).statusCode());
        String[] parts = token.split("\\.");
        String unknownKey = encoded("{\"alg\":\"RS256\",\"kid\":\"unknown\"}") + "." + parts[1] + "." + parts[2];
        assertEquals(503, status(unknownKey), "the key may be new");
        assertEquals(200, status(token));
    }
}
