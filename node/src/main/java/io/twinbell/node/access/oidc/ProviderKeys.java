package io.twinbell.node.access.oidc;

import java.io.IOException;
import java.security.Key;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Semaphore;
import org.jose4j.http.SimpleGet;
import org.jose4j.jwk.HttpsJwks;
import org.jose4j.jwk.JsonWebKey;
import org.jose4j.jwk.VerificationJwkSelector;
import org.jose4j.jws.JsonWebSignature;
import org.jose4j.jwx.JsonWebStructure;
import org.jose4j.keys.resolvers.VerificationKeyResolver;
import org.jose4j.lang.JoseException;
import org.jose4j.lang.UnresolvableKeyException;

/**
 * Finds the key that has signed a token. A token with a known key does not wait for the provider, except the one that
 * finds the keys an hour old. At most {@link #MOST_WAITING} tokens with other keys wait for it at the same time, and
 * further ones are refused at once: anyone may invent such tokens, and each would occupy a thread of the API.
 */
final class ProviderKeys implements VerificationKeyResolver {
    /** A fifth of the threads of the API. */
    static final int MOST_WAITING = 8;

    private final Address address;
    private final SimpleGet http;
    private final Duration betweenRefreshes;
    private final VerificationJwkSelector selector = new VerificationJwkSelector();
    private final Semaphore waiting = new Semaphore(MOST_WAITING);

    private HttpsJwks keys;
    /** Null until there are keys. With keys, at most one thread waits while they are read again. */
    private volatile HttpsJwks loaded;

    /** Where the provider publishes its keys. */
    @FunctionalInterface
    interface Address {
        /** @throws IOException if the provider does not answer */
        String find() throws IOException;
    }

    /** @param betweenRefreshes how long the keys are not read again for a token with an unknown key */
    ProviderKeys(Address address, SimpleGet http, Duration betweenRefreshes) {
        this.address = address;
        this.http = http;
        this.betweenRefreshes = betweenRefreshes;
    }

    /** @throws UnresolvableKeyException if there is no such key; its cause is an IOException if the provider is silent */
    @Override
    public Key resolveKey(JsonWebSignature signature, List<JsonWebStructure> nesting) throws UnresolvableKeyException {
        try {
            HttpsJwks known = loaded;
            JsonWebKey key = known == null ? null : selector.select(signature, read(known));
            return (key == null ? fetched(signature) : key).getKey();
        } catch (JoseException | IOException e) {
            throw e instanceof UnresolvableKeyException unknown
                    ? unknown
                    : new UnresolvableKeyException("the provider's keys cannot be read: " + e.getMessage(), e);
        }
    }

    private JsonWebKey fetched(JsonWebSignature signature) throws JoseException, IOException {
        if (!waiting.tryAcquire()) {
            throw new UnresolvableKeyException(
                    "its key is unknown, and " + MOST_WAITING + " other requests wait for the provider's keys");
        }
        try {
            HttpsJwks source = source();
            JsonWebKey key = selector.select(signature, read(source));
            if (key == null) {
                source.refresh();
                key = selector.select(signature, read(source));
            }
            if (key == null) {
                throw new UnresolvableKeyException("the provider has no such key");
            }
            return key;
        } finally {
            waiting.release();
        }
    }

    private List<JsonWebKey> read(HttpsJwks source) throws JoseException, IOException {
        List<JsonWebKey> found = source.getJsonWebKeys();
        loaded = found.isEmpty() ? null : source;
        return found;
    }

    private synchronized HttpsJwks source() throws IOException {
        if (keys == null) {
            keys = new HttpsJwks(address.find());
            keys.setSimpleHttpGet(http);
            keys.setRefreshReprieveThreshold(betweenRefreshes.toMillis());
            keys.setRetainCacheOnErrorDuration(Duration.ofHours(1).toSeconds());
        }
        return keys;
    }
}
