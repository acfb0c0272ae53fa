package io.twinbell.node.access.oidc;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.twinbell.node.access.Principal;
import io.twinbell.node.access.PrincipalResolver;
import io.twinbell.node.access.RoleMapping;
import io.twinbell.node.access.UncheckedCredentialsException;
import io.twinbell.node.access.oidc.OidcSignIn.SignedIn;
import io.twinbell.node.access.oidc.ProviderKeys.UnreadKeysException;
import io.twinbell.node.tls.TlsFileException;
import io.twinbell.node.tls.TlsFiles;
import io.twinbell.node.tls.TlsMaterial;
import io.twinbell.persistence.clock.Ticker;
import java.io.IOException;
import java.time.Duration;
import java.util.Arrays;
import java.util.Collection;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Collectors;
import javax.net.ssl.SSLContext;
import org.jose4j.jwa.AlgorithmConstraints;
import org.jose4j.jwa.AlgorithmConstraints.ConstraintType;
import org.jose4j.jws.AlgorithmIdentifiers;
import org.jose4j.jwt.JwtClaims;
import org.jose4j.jwt.consumer.ErrorCodeValidator;
import org.jose4j.jwt.consumer.InvalidJwtException;
import org.jose4j.jwt.consumer.JwtConsumer;
import org.jose4j.jwt.consumer.JwtConsumerBuilder;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds the principals of signed tokens (JWT, RFC 7519) of an OpenID Connect provider. Signature, issuer, audience and
 * time are checked by jose4j. The provider's keys are cached for an hour, and read again for a token with an unknown
 * key, at most every ten seconds. While the provider does not answer, the known keys stay valid for an hour more.
 */
public final class OidcTokens implements PrincipalResolver {
    private static final Logger LOG = LoggerFactory.getLogger(OidcTokens.class);
    private static final String DISCOVERY = "/.well-known/openid-configuration";
    private static final int CLOCK_SKEW_SECONDS = 60;
    private static final int DOTS = 2;
    private static final int MAX_REASON = 300;
    private static final Duration BETWEEN_WARNINGS = Duration.ofMinutes(1);
    /** Signatures by a private key. With a shared secret, the public key would be taken for the secret. */
    private static final AlgorithmConstraints SIGNATURES = new AlgorithmConstraints(
            ConstraintType.PERMIT,
            AlgorithmIdentifiers.RSA_USING_SHA256,
            AlgorithmIdentifiers.RSA_USING_SHA384,
            AlgorithmIdentifiers.RSA_USING_SHA512,
            AlgorithmIdentifiers.RSA_PSS_USING_SHA256,
            AlgorithmIdentifiers.RSA_PSS_USING_SHA384,
            AlgorithmIdentifiers.RSA_PSS_USING_SHA512,
            AlgorithmIdentifiers.ECDSA_USING_P256_CURVE_AND_SHA256,
            AlgorithmIdentifiers.ECDSA_USING_P384_CURVE_AND_SHA384,
            AlgorithmIdentifiers.ECDSA_USING_P521_CURVE_AND_SHA512);

    private final OidcProvider provider;
    private final ProviderHttp http;
    private final ProviderKeys keys;
    private final Ticker ticker;
    /** When the latest warning about unread keys was logged; null for never. */
    private final AtomicReference<Long> unreadLogged = new AtomicReference<>();

    private final OidcSignIn signIn;
    /** By audience: that of bearer tokens, and that of ID tokens. */
    private final Map<String, JwtConsumer> consumers = new ConcurrentHashMap<>();

    /** @throws TlsFileException if the file with the authorities cannot be used */
    public OidcTokens(OidcProvider provider, Ticker ticker) throws TlsFileException {
        this(provider, Duration.ofSeconds(10), Duration.ofSeconds(2), ticker);
    }

    /**
     * @param betweenRefreshes how long the provider is not asked again, after an answer and after a failure
     * @param longestAnswer bounds the wait for a connection, and then for each part of the answer
     */
    OidcTokens(OidcProvider provider, Duration betweenRefreshes, Duration longestAnswer, Ticker ticker)
            throws TlsFileException {
        this.provider = provider;
        this.ticker = ticker;
        SSLContext tls = provider.authorities() == null
                ? null
                : TlsMaterial.read(TlsFiles.forClient(provider.authorities(), null, null))
                        .client();
        http = new ProviderHttp(tls == null ? null : tls.getSocketFactory(), betweenRefreshes, longestAnswer, ticker);
        keys = new ProviderKeys(() -> provider.jwks() == null ? endpoint("jwks_uri") : provider.jwks(), http, ticker);
        signIn = provider.client() == null ? null : new OidcSignIn(provider.client(), this, tls);
    }

    /** How people sign in to the console; empty if the provider is for bearer tokens alone. */
    public Optional<OidcSignIn> signIn() {
        return Optional.ofNullable(signIn);
    }

    boolean isIssuer(String issuer) {
        return provider.issuer().equals(issuer);
    }

    @Override
    public Optional<Principal> resolve(String credentials) {
        if (credentials.chars().filter(each -> each == '.').count() != DOTS) {
            return Optional.empty();
        }
        try {
            return person(claims(credentials, provider.audience())).flatMap(this::principal);
        } catch (InvalidJwtException e) {
            LOG.info("a token of an OpenID Connect provider was refused: {}", reason(e));
            return Optional.empty();
        } catch (UnreadKeysException e) {
            logUnread(e);
            throw new UncheckedCredentialsException(
                    "the token cannot be checked, because the keys of the OpenID Connect provider cannot be read now",
                    e.waitBeforeRetry());
        }
    }

    /** Logs at most one line a minute: anyone may send such tokens. */
    private void logUnread(UnreadKeysException unread) {
        long now = ticker.nanos();
        Long logged = unreadLogged.get();
        if ((logged == null || now - logged >= BETWEEN_WARNINGS.toNanos()) && unreadLogged.compareAndSet(logged, now)) {
            LOG.warn(
                    "a token of the OpenID Connect provider {} cannot be checked: {}",
                    provider.issuer(),
                    printable(unread.getMessage()));
        }
    }

    /**
     * Checks the ID token of a sign-in.
     *
     * @param nonce what the token must contain
     * @throws IOException if the provider does not answer
     */
    Optional<SignedIn> signedIn(String idToken, String clientId, String nonce) throws IOException {
        try {
            JwtClaims claims = claims(idToken, clientId);
            if (!nonce.equals(claims.getClaimValue("nonce"))) {
                LOG.warn("an ID token was refused: it belongs to another sign-in");
                return Optional.empty();
            }
            return person(claims);
        } catch (InvalidJwtException e) {
            LOG.warn("an ID token of the OpenID Connect provider was refused: {}", reason(e));
            return Optional.empty();
        } catch (UnreadKeysException e) {
            throw new IOException(e.getMessage(), e);
        }
    }

    /** Returns what a person may do now; empty if the role is not mapped any more. */
    public Optional<Principal> principal(SignedIn person) {
        return provider.roles().stream()
                .filter(role -> role.value().equals(person.role()))
                .findFirst()
                .map(role -> role.principal("user " + person.name()));
    }

    /**
     * @throws InvalidJwtException if the token is refused
     * @throws UnreadKeysException if its signature cannot be checked now, and the rest of the token permits no refusal
     */
    private JwtClaims claims(String token, String audience) throws InvalidJwtException, UnreadKeysException {
        try {
            return consumers
                    .computeIfAbsent(
                            audience,
                            unknown -> consumer(audience)
                                    .setVerificationKeyResolver(keys)
                                    .build())
                    .processToClaims(token);
        } catch (InvalidJwtException e) {
            if (e.getCause() instanceof UnreadKeysException unread) {
                consumer(audience).setSkipSignatureVerification().build().processToClaims(token);
                throw unread;
            }
            throw e;
        }
    }

    private JwtConsumerBuilder consumer(String audience) {
        return new JwtConsumerBuilder()
                .setRequireExpirationTime()
                .setAllowedClockSkewInSeconds(CLOCK_SKEW_SECONDS)
                .setExpectedIssuer(provider.issuer())
                .setExpectedAudience(audience)
                .setJwsAlgorithmConstraints(SIGNATURES);
    }

    /**
     * Returns an address of the discovery document. OpenID Connect Discovery 1.0, 4: the document must name the issuer
     * that it was asked of.
     *
     * @throws IOException if the provider does not answer, or has no such address
     */
    String endpoint(String member) throws IOException {
        String address = provider.issuer().replaceAll("/$", "") + DISCOVERY;
        JsonNode document = new ObjectMapper().readTree(http.get(address).getBody());
        if (!document.path("issuer").asText().equals(provider.issuer())) {
            throw new IOException(address + " names another issuer, \""
                    + document.path("issuer").asText() + "\"");
        }
        String found = document.path(member).asText();
        if (found.isEmpty()) {
            throw new IOException(address + " has no " + member);
        }
        return found;
    }

    private Optional<SignedIn> person(JwtClaims claims) {
        Object name = claims.getClaimValue(provider.nameClaim());
        Set<String> held = held(claims.getClaimsMap());
        Optional<RoleMapping> mapping = provider.roles().stream()
                .filter(role -> held.contains(role.value()))
                .findFirst();
        if (name == null || mapping.isEmpty()) {
            LOG.info(
                    "a token of an OpenID Connect provider was refused: {}",
                    name == null
                            ? "it has no claim " + provider.nameClaim()
                            : "no value of its claim " + provider.rolesClaim() + " has a role here");
            return Optional.empty();
        }
        return mapping.map(role -> new SignedIn(shown(name.toString()), role.value()));
    }

    /** The messages quote the token, which anyone can write: no line of the log may be invented or filled with it. */
    private static String reason(InvalidJwtException refused) {
        String messages = refused.getErrorDetails().stream()
                .map(ErrorCodeValidator.Error::getErrorMessage)
                .collect(Collectors.joining("; "));
        return printable(messages);
    }

    private static String printable(String text) {
        String oneLine = text.replaceAll("[^\\p{Print}]", "?");
        return oneLine.substring(0, Math.min(oneLine.length(), MAX_REASON));
    }

    /** The name goes into logs. */
    static String shown(String name) {
        return name.replaceAll("[^\\p{Alnum}@._ -]", "?").substring(0, Math.min(name.length(), 100));
    }

    private Set<String> held(Map<String, Object> claims) {
        Object value = claims;
        for (String step : provider.rolesClaim().split("\\.")) {
            value = value instanceof Map<?, ?> object ? object.get(step) : null;
        }
        Set<String> held = new TreeSet<>();
        if (value instanceof Collection<?> list) {
            list.forEach(each -> held.add(String.valueOf(each)));
        } else if (value instanceof String text) {
            held.addAll(Arrays.asList(text.split(" ")));
        }
        return held;
    }
}
