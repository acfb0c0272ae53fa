package io.twinbell.node.access.oidc;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.twinbell.node.http.BoundedAnswer;
import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Semaphore;
import java.util.stream.Collectors;
import javax.net.ssl.SSLContext;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Signs people in at the OpenID Connect provider, by the authorization code flow with PKCE (OpenID Connect Core 1.0, 3.1;
 * RFC 7636). The browser never sees a token of the provider.
 */
public final class OidcSignIn {
    private static final Logger LOG = LoggerFactory.getLogger(OidcSignIn.class);
    private static final Duration LONGEST_ANSWER = Duration.ofSeconds(5);
    private static final int MAX_BYTES = 1 << 20;
    private static final int OK = 200;
    /** Anyone may send a code, and each code waits for the provider on a thread of the API. */
    private static final int MOST_AT_ONCE = 4;

    private final OidcProvider.Client client;
    private final OidcTokens tokens;
    private final HttpClient http;
    private final Semaphore redeeming = new Semaphore(MOST_AT_ONCE);

    /**
     * A person who has signed in at the provider.
     *
     * @param name the person's name, fit for logs
     * @param role the value of the roles claim that decides what the person may do
     */
    public record SignedIn(String name, String role) {}

    /** @param tls for a provider whose certificate has its own authorities; null for those of the Java runtime */
    OidcSignIn(OidcProvider.Client client, OidcTokens tokens, SSLContext tls) {
        this.client = client;
        this.tokens = tokens;
        HttpClient.Builder builder =
                HttpClient.newBuilder().connectTimeout(LONGEST_ANSWER).followRedirects(HttpClient.Redirect.NEVER);
        http = tls == null ? builder.build() : builder.sslContext(tls).build();
    }

    /** The address to which the provider returns the browser, if it is configured; null to derive it from the request. */
    public String configuredRedirect() {
        return client.redirectUrl();
    }

    /** Whether the answer comes from the provider (RFC 9207); not every provider says so. */
    public boolean isIssuer(String answered) {
        return answered == null || tokens.isIssuer(answered);
    }

    /**
     * Returns the provider's page on which the person signs in.
     *
     * @throws IOException if the provider does not answer
     */
    public String page(SignInAttempt attempt, String redirectUrl) throws IOException {
        Map<String, String> parameters = new LinkedHashMap<>();
        parameters.put("response_type", "code");
        parameters.put("client_id", client.id());
        parameters.put("redirect_uri", redirectUrl);
        parameters.put("scope", client.scopes());
        parameters.put("state", attempt.state());
        parameters.put("nonce", attempt.nonce());
        parameters.put("code_challenge", attempt.challenge());
        parameters.put("code_challenge_method", "S256");
        String address = tokens.endpoint("authorization_endpoint");
        return address + (address.contains("?") ? "&" : "?") + encoded(parameters);
    }

    /**
     * Redeems the code that the provider gave to the browser.
     *
     * @return who has signed in; empty if the provider or the configured roles refuse the person, which the log explains
     * @throws IOException if the provider does not answer
     */
    public Optional<SignedIn> redeem(String code, SignInAttempt attempt, String redirectUrl) throws IOException {
        if (!redeeming.tryAcquire()) {
            throw new IOException(MOST_AT_ONCE + " other sign-ins wait for the provider");
        }
        try {
            return redeemed(code, attempt, redirectUrl);
        } finally {
            redeeming.release();
        }
    }

    private Optional<SignedIn> redeemed(String code, SignInAttempt attempt, String redirectUrl) throws IOException {
        Map<String, String> parameters = new LinkedHashMap<>();
        parameters.put("grant_type", "authorization_code");
        parameters.put("code", code);
        parameters.put("redirect_uri", redirectUrl);
        parameters.put("code_verifier", attempt.verifier());
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(tokens.endpoint("token_endpoint")))
                .timeout(LONGEST_ANSWER)
                .header("Content-Type", "application/x-www-form-urlencoded")
                .header("Accept", "application/json");
        if (client.secret() == null) {
            parameters.put("client_id", client.id());
        } else {
            request.header("Authorization", "Basic " + credentials());
        }
        JsonNode answer = send(request.POST(HttpRequest.BodyPublishers.ofString(encoded(parameters)))
                .build());
        return answer == null
                ? Optional.empty()
                : tokens.signedIn(answer.path("id_token").asText(), client.id(), attempt.nonce());
    }

    /** RFC 6749, 2.3.1: the parts are encoded as in a form first. */
    private String credentials() {
        String both = encoded(client.id()) + ":" + encoded(client.secret());
        return Base64.getEncoder().encodeToString(both.getBytes(StandardCharsets.UTF_8));
    }

    /** Returns null if the provider refuses the code. */
    private JsonNode send(HttpRequest request) throws IOException {
        HttpResponse<String> response = BoundedAnswer.send(http, request, MAX_BYTES, LONGEST_ANSWER);
        JsonNode answer = answer(response.body());
        if (response.statusCode() == OK) {
            return answer;
        }
        LOG.warn(
                "the OpenID Connect provider refused a sign-in with status {}: {}",
                response.statusCode(),
                OidcTokens.shown(answer.path("error").asText()));
        return null;
    }

    private static JsonNode answer(String text) throws IOException {
        try {
            return new ObjectMapper().readTree(text);
        } catch (JsonProcessingException e) {
            throw new IOException("the answer of the token endpoint is not JSON", e);
        }
    }

    private static String encoded(Map<String, String> parameters) {
        return parameters.entrySet().stream()
                .map(one -> one.getKey() + "=" + encoded(one.getValue()))
                .collect(Collectors.joining("&"));
    }

    private static String encoded(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8);
    }
}
