package io.twinbell.node.access.token;

import io.twinbell.node.access.AccessRole;
import io.twinbell.node.access.Grant;
import io.twinbell.node.access.Principal;
import io.twinbell.node.access.PrincipalResolver;
import io.twinbell.node.access.UncheckedCredentialsException;
import io.twinbell.node.access.store.TokenStore;
import io.twinbell.node.access.store.TokenStore.AccessToken;
import io.twinbell.node.access.store.TokenStore.HashedToken;
import io.twinbell.node.loop.Loop;
import io.twinbell.persistence.clock.DatabaseClock;
import io.twinbell.persistence.clock.Ticker;
import io.twinbell.persistence.database.DatabaseUnavailableException;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.Collectors;

/**
 * Recognizes tokens by an in-memory copy of those in the database. A copy older than a second is read again, so a
 * revoked token ends within a second. While the database does not answer, known tokens stay valid for 15 minutes, so
 * that operators can act.
 */
public final class TokenBook implements PrincipalResolver {
    private static final long FRESH = Duration.ofMillis(800).toNanos();
    /** Bounds the reads that unknown tokens cause. */
    private static final long FRESH_FOR_UNKNOWN = Duration.ofMillis(50).toNanos();

    private static final long LONGEST_TRUST = Duration.ofMinutes(15).toNanos();
    private static final long AFTER_FAILURE = Duration.ofSeconds(1).toNanos();
    private static final long LONGEST_WAIT = Duration.ofMillis(200).toNanos();
    private static final long BETWEEN_STEPS = Duration.ofMinutes(1).toNanos();

    private final TokenStore store;
    private final DatabaseClock clock;
    private final Ticker ticker;
    private final ReentrantLock reading = new ReentrantLock();
    private final Set<String> used = ConcurrentHashMap.newKeySet();
    private volatile Snapshot snapshot;
    private volatile long failedNanos;
    private volatile boolean hasFailed;

    /** @param readNanos when the read began */
    private record Snapshot(Map<ByteBuffer, HashedToken> byHash, long readNanos) {}

    public TokenBook(TokenStore store, DatabaseClock clock, Ticker ticker) {
        this.store = store;
        this.clock = clock;
        this.ticker = ticker;
    }

    @Override
    public Optional<Principal> resolve(String credentials) {
        if (!credentials.startsWith(TokenText.PREFIX)) {
            return Optional.empty();
        }
        return ofHash(TokenText.hash(credentials));
    }

    @Override
    public Optional<Principal> recall(String credentials) {
        return credentials.startsWith(TokenText.PREFIX) && isFresh(FRESH)
                ? find(TokenText.hash(credentials)).map(this::used)
                : Optional.empty();
    }

    /**
     * Returns the principal of the token that has this hash; empty if there is no such token, or none that is valid.
     *
     * @throws UncheckedCredentialsException if this copy has no such token, and the database does not answer
     */
    public Optional<Principal> ofHash(byte[] hash) {
        long asked = ticker.nanos();
        readIfOlderThan(FRESH);
        Optional<HashedToken> found = find(hash);
        if (found.isEmpty()) {
            readIfOlderThan(FRESH_FOR_UNKNOWN);
            found = find(hash);
        }
        if (found.isEmpty() && known(hash).isEmpty() && isOlderThan(FRESH_FOR_UNKNOWN, asked)) {
            throw new UncheckedCredentialsException(
                    "the token is unknown to this node, and the database does not answer", Duration.ofSeconds(1));
        }
        return found.map(this::used);
    }

    private Principal used(HashedToken found) {
        used.add(found.token().name());
        return principal(found.token());
    }

    @Override
    public Optional<String> formerHolder(String credentials) {
        byte[] hash = TokenText.hash(credentials);
        return known(hash)
                .map(token -> (MessageDigest.isEqual(token.hash(), hash) ? "expired" : "replaced") + " token "
                        + token.token().name());
    }

    private Optional<HashedToken> find(byte[] hash) {
        long nowMillis = clock.nowMillis();
        return known(hash).filter(token -> isValid(token, hash, nowMillis));
    }

    private Optional<HashedToken> known(byte[] hash) {
        Snapshot known = snapshot;
        return known == null || ticker.nanos() - known.readNanos() > LONGEST_TRUST
                ? Optional.empty()
                : Optional.ofNullable(known.byHash().get(ByteBuffer.wrap(hash)));
    }

    /** The lookup finds a hash, not a token, so its duration reveals nothing about tokens. */
    private static boolean isValid(HashedToken token, byte[] hash, long nowMillis) {
        Long expires = token.token().times().expiresMillis();
        if (expires != null && expires <= nowMillis) {
            return false;
        }
        return MessageDigest.isEqual(token.hash(), hash)
                || MessageDigest.isEqual(token.oldHash(), hash) && token.oldUntilMillis() > nowMillis;
    }

    private static Principal principal(AccessToken token) {
        return new Principal(
                token.name().startsWith(TokenStore.ADMIN_OF)
                        ? "the admin token of " + token.name()
                        : "token " + token.name(),
                AccessRole.valueOf(token.role()),
                Set.copyOf(token.apps()),
                token.grants().stream().map(Grant::valueOf).collect(Collectors.toSet()));
    }

    /** Reads the tokens again if they were read longer ago. One request reads; the others wait for it, but not long. */
    private void readIfOlderThan(long nanos) {
        if (isFresh(nanos) || hasFailed && ticker.nanos() - failedNanos < AFTER_FAILURE || !lock()) {
            return;
        }
        try {
            if (!isFresh(nanos)) {
                read();
            }
        } catch (DatabaseUnavailableException e) {
            failedNanos = ticker.nanos();
            hasFailed = true;
        } finally {
            reading.unlock();
        }
    }

    private boolean lock() {
        try {
            return reading.tryLock(LONGEST_WAIT, TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    private boolean isFresh(long nanos) {
        return !isOlderThan(nanos, ticker.nanos());
    }

    private boolean isOlderThan(long nanos, long nowNanos) {
        Snapshot known = snapshot;
        return known == null || nowNanos - known.readNanos() > nanos;
    }

    private void read() {
        long began = ticker.nanos();
        Map<ByteBuffer, HashedToken> byHash = new HashMap<>();
        for (HashedToken token : store.all()) {
            byHash.put(ByteBuffer.wrap(token.hash()), token);
            if (token.oldHash() != null) {
                byHash.put(ByteBuffer.wrap(token.oldHash()), token);
            }
        }
        snapshot = new Snapshot(byHash, began);
        hasFailed = false;
    }

    /**
     * Records which tokens were used, and reads them all, so that they are known if the database stops answering; returns
     * how long to sleep, in nanoseconds.
     */
    public long step(Loop loop) {
        Set<String> names = new HashSet<>(used);
        try {
            if (!names.isEmpty()) {
                store.used(names);
                used.removeAll(names);
            }
            read();
        } catch (DatabaseUnavailableException e) {
            loop.failed(e);
        }
        return BETWEEN_STEPS;
    }
}
