package io.twinbell.node.access.oidc;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.twinbell.node.access.Principal;
import io.twinbell.node.access.PrincipalResolver;
import io.twinbell.node.access.RoleMapping;
import io.twinbell.ops.tls.TlsFileException;
import io.twinbell.ops.tls.TlsFiles;
import io.twinbell.ops.tls.TlsMaterial;
import io.twinbell.persistence.database.Ticker;
import java.io.IOException;
import java.time.Duration;
import java.util.Arrays;
import java.util.Collection;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import javax.net.ssl.SSLSocketFactory;
import org.jose4j.jwa.AlgorithmConstraints;
import org.jose4j.jwa.AlgorithmConstraints.ConstraintType;
import org.jose4j.jwk.HttpsJwks;
import org.jose4j.jws.AlgorithmIdentifiers;
import org.jose4j.jwt.JwtClaims;
import org.jose4j.jwt.consumer.InvalidJwtException;
import org.jose4j.jwt.consumer.JwtConsumer;
import org.jose4j.jwt.consumer.JwtConsumerBuilder;
import org.jose4j.keys.resolvers.HttpsJwksVerificationKeyResolver;
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
    private final Duration betweenRefreshes;
    private JwtConsumer consumer;

    /** @throws TlsFileException if the file with the authorities cannot be used */
    public OidcTokens(OidcProvider provider, Ticker ticker) throws TlsFileException {
        this(provider, Duration.ofSeconds(10), ticker);
    }

    /** @param betweenRefreshes how long the provider is not asked again, after an answer and after a failure */
    OidcTokens(OidcProvider provider, Duration betweenRefreshes, Ticker ticker) throws TlsFileException {
        this.provider = provider;
        this.betweenRefreshes = betweenRefreshes;
        SSLSocketFactory sockets = provider.authorities() == null
                ? null
                : TlsMaterial.read(TlsFiles.forClient(provider.authorities(), null, null))
                        .client()
                        .getSocketFactory();
        http = new ProviderHttp(sockets, betweenRefreshes, ticker);
    }

    @Override
    public Optional<Principal> resolve(String credentials) {
        if (credentials.chars().filter(each -> each == '.').count() != DOTS) {
            return Optional.empty();
        }
        try {
            return principal(consumer().processToClaims(credentials));
        } catch (InvalidJwtException e) {
            LOG.info("a token of an OpenID Connect provider was refused: {}", e.getErrorDetails());
        } catch (IOException e) {
            LOG.warn("the OpenID Connect provider {} does not answer: {}", provider.issuer(), e.getMessage());
        }
        return Optional.empty();
    }

    private synchronized JwtConsumer consumer() throws IOException {
        if (consumer == null) {
            HttpsJwks keys = new HttpsJwks(provider.jwks() == null ? discovered() : provider.jwks());
            keys.setSimpleHttpGet(http);
            keys.setRefreshReprieveThreshold(betweenRefreshes.toMillis());
            keys.setRetainCacheOnErrorDuration(Duration.ofHours(1).toSeconds());
            consumer = new JwtConsumerBuilder()
                    .setRequireExpirationTime()
                    .setAllowedClockSkewInSeconds(CLOCK_SKEW_SECONDS)
                    .setExpectedIssuer(provider.issuer())
                    .setExpectedAudience(provider.audience())
                    .setJwsAlgorithmConstraints(SIGNATURES)
                    .setVerificationKeyResolver(new HttpsJwksVerificationKeyResolver(keys))
                    .build();
        }
        return consumer;
    }

    /** OpenID Connect Discovery 1.0, 4: the document must name the issuer that it was asked of. */
    private String discovered() throws IOException {
        String address = provider.issuer().replaceAll("/$", "") + DISCOVERY;
        JsonNode document = new ObjectMapper().readTree(http.get(address).getBody());
        if (!document.path("issuer").asText().equals(provider.issuer())) {
            throw new IOException(address + " names another issuer, \""
                    + document.path("issuer").asText() + "\"");
        }
        String keys = document.path("jwks_uri").asText();
        if (keys.isEmpty()) {
            throw new IOException(address + " has no jwks_uri");
        }
        return keys;
    }

    private Optional<Principal> principal(JwtClaims claims) {
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
        return mapping.map(role -> role.principal("user " + shown(name.toString())));
    }

    /** The name goes into logs. */
    private static String shown(String name) {
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
