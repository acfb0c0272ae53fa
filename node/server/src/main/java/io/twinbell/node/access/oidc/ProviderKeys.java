package io.twinbell.node.access.oidc;

import io.twinbell.persistence.clock.Ticker;
import java.io.IOException;
import java.security.Key;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
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
 * further ones fail at once: anyone may invent such tokens, and each would occupy a thread of the API.
 */
final class ProviderKeys implements VerificationKeyResolver {
    /** A fifth of the threads of the API. */
    static final int MOST_WAITING = 8;

    private static final int MOST_MISSING = 1000;
    private static final int LONGEST_ID = 200;
    private static final Duration SOON = Duration.ofSeconds(1);

    private final Address address;
    private final ProviderHttp http;
    private final Ticker ticker;
    private final VerificationJwkSelector selector = new VerificationJwkSelector();
    private final Semaphore waiting = new Semaphore(MOST_WAITING);

    /** The ids of keys that the provider does not have. */
    private final Set<String> missing = ConcurrentHashMap.newKeySet();

    private HttpsJwks keys;
    /** Null until there are keys. With keys, at most one thread waits while they are read again. */
    private volatile HttpsJwks loaded;

    /** Where the provider publishes its keys. */
    @FunctionalInterface
    interface Address {
        /** @throws IOException if the provider does not answer */
        String find() throws IOException;
    }

    /** The keys could not be read since the token was received, so its key may exist. */
    static final class UnreadKeysException extends UnresolvableKeyException {
        private static final long serialVersionUID = 1L;

        private final transient Duration wait;

        private UnreadKeysException(String message, Duration wait) {
            super(message);
            this.wait = wait;
        }

        /** After which the provider may be asked again. */
        Duration waitBeforeRetry() {
            return wait;
        }
    }

    ProviderKeys(Address address, ProviderHttp http, Ticker ticker) {
        this.address = address;
        this.http = http;
        this.ticker = ticker;
    }

    /**
     * @throws UnreadKeysException if the keys cannot be read now
     * @throws UnresolvableKeyException if there is no such key
     */
    @Override
    public Key resolveKey(JsonWebSignature signature, List<JsonWebStructure> nesting) throws UnresolvableKeyException {
        HttpsJwks known = loaded;
        JsonWebKey key = known == null ? null : select(signature, read(known));
        return (key == null ? fetched(signature) : key).getKey();
    }

    private JsonWebKey fetched(JsonWebSignature signature) throws UnresolvableKeyException {
        long asked = ticker.nanos();
        if (!waiting.tryAcquire()) {
            throw new UnreadKeysException(
                    "its key is unknown, and " + MOST_WAITING + " other requests wait for the provider's keys", SOON);
        }
        try {
            HttpsJwks source = source();
            JsonWebKey key = select(signature, read(source));
            if (key == null && http.untilAskedAgain(source.getLocation()).isZero()) {
                refresh(source);
                key = select(signature, read(source));
            }
            if (key == null) {
                throw missing(signature, source.getLocation(), asked);
            }
            return key;
        } finally {
            waiting.release();
        }
    }

    /** A key that an answer lacked after its token had been received counts as missing until the keys are read again. */
    private UnresolvableKeyException missing(JsonWebSignature signature, String location, long asked) {
        String id = Objects.requireNonNullElse(signature.getKeyIdHeaderValue(), "");
        if (http.isAskedSince(location, asked) && id.length() <= LONGEST_ID && missing.size() < MOST_MISSING) {
            missing.add(id);
        }
        return http.isAskedSince(location, asked) || missing.contains(id)
                ? new UnresolvableKeyException("the provider has no such key")
                : new UnreadKeysException(
                        "its key is unknown, and the provider's keys are not read again yet",
                        http.untilAskedAgain(location));
    }

    private JsonWebKey select(JsonWebSignature signature, List<JsonWebKey> candidates) throws UnresolvableKeyException {
        try {
            return selector.select(signature, candidates);
        } catch (JoseException e) {
            throw new UnresolvableKeyException("the token names no usable key: " + e.getMessage(), e);
        }
    }

    private List<JsonWebKey> read(HttpsJwks source) throws UnreadKeysException {
        try {
            List<JsonWebKey> found = source.getJsonWebKeys();
            loaded = found.isEmpty() ? null : source;
            return found;
        } catch (JoseException | IOException e) {
            throw unread(e, source.getLocation());
        }
    }

    private void refresh(HttpsJwks source) throws UnreadKeysException {
        missing.clear();
        try {
            source.refresh();
        } catch (JoseException | IOException e) {
            throw unread(e, source.getLocation());
        }
    }

    private UnreadKeysException unread(Exception e, String location) {
        return new UnreadKeysException(
                "the provider's keys cannot be read: " + e.getMessage(), http.untilAskedAgain(location));
    }

    private synchronized HttpsJwks source() throws UnreadKeysException {
        if (keys == null) {
            try {
                keys = new HttpsJwks(address.find());
            } catch (IOException e) {
                throw new UnreadKeysException("the provider's keys cannot be found: " + e.getMessage(), SOON);
            }
            keys.setSimpleHttpGet(http);
            // ProviderHttp bounds the requests, by another clock.
            keys.setRefreshReprieveThreshold(0);
            keys.setRetainCacheOnErrorDuration(Duration.ofHours(1).toSeconds());
        }
        return keys;
    }
}
