package io.twinbell.node.pair;

import com.codahale.metrics.MetricRegistry;
import io.twinbell.ha.latch.KnownMembers;
import io.twinbell.node.access.AccessPolicy;
import io.twinbell.node.access.AccessRole;
import io.twinbell.node.access.FailedAttempts;
import io.twinbell.node.access.Principal;
import io.twinbell.node.access.PrincipalResolver;
import io.twinbell.node.access.Refusals;
import io.twinbell.node.access.oidc.OidcProvider;
import io.twinbell.node.access.oidc.OidcSignIn;
import io.twinbell.node.access.oidc.OidcSignIn.SignedIn;
import io.twinbell.node.access.oidc.OidcTokens;
import io.twinbell.node.access.store.TokenStore;
import io.twinbell.node.access.token.AdminToken;
import io.twinbell.node.access.token.ConsoleSessions;
import io.twinbell.node.access.token.PairSignature;
import io.twinbell.node.access.token.TokenBook;
import io.twinbell.node.api.access.ApiAccess;
import io.twinbell.node.api.access.RequestQuotas;
import io.twinbell.node.api.access.RequestQuotas.HttpLimits;
import io.twinbell.node.audit.store.AuditRefusals;
import io.twinbell.node.config.NodeConfig;
import io.twinbell.node.config.NodeConfig.HttpAccess;
import io.twinbell.node.engine.step.StepThread;
import io.twinbell.node.loop.Loop;
import io.twinbell.node.loop.Loops;
import io.twinbell.node.tls.TlsFileException;
import io.twinbell.persistence.clock.DatabaseClock;
import io.twinbell.persistence.clock.Ticker;
import io.twinbell.persistence.database.DatabaseUnavailableException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import javax.sql.DataSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Access to the node's API: the policy from the configuration, the tokens of the database, and the admin token. */
final class NodeAccess implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(NodeAccess.class);
    private static final Principal READER =
            new Principal("a client without a token", AccessRole.VIEWER, Set.of(), Set.of());
    private static final long AFTER_FAILURE = Duration.ofSeconds(1).toNanos();

    private final String nodeId;
    private final TokenStore store;
    private final TokenBook book;
    private final Optional<AdminToken> adminToken;
    private final Optional<OidcTokens> provider;
    private final AccessPolicy policy;
    private final FailedAttempts attempts;
    private final ConsoleSessions sessions;
    private final boolean opensMetrics;
    private final Refusals refusals;
    private final RequestQuotas quotas;
    private final StepThread thread;
    private final StepThread refusalThread;
    private boolean isAnnounced;

    /** @param members have the key of the database, by which the nodes recognize each other and sessions of the console */
    NodeAccess(
            NodeConfig config, DataSource pool, KnownMembers members, DatabaseClock clock, Ticker ticker, Loops loops) {
        NodeConfig.Listeners listeners = config.listeners();
        boolean isOpen = !listeners.http().isEnabled() || listeners.access().mode() == HttpAccess.Mode.OPEN;
        this.nodeId = config.nodeId();
        store = new TokenStore(pool);
        book = new TokenBook(store, clock, ticker);
        adminToken = isOpen ? Optional.empty() : adminToken(listeners.access());
        provider = isOpen || listeners.access().provider() == null
                ? Optional.empty()
                : Optional.of(oidc(listeners.access().provider(), ticker));
        policy = isOpen
                ? AccessPolicy.OPEN
                : policy(listeners.access(), new PairSignature(members::seal, members::hasSealed, clock));
        attempts = new FailedAttempts(ticker);
        sessions = new ConsoleSessions(members::seal, members::hasSealed, this::ofHash, this::ofPerson, clock);
        opensMetrics = listeners.access().opensMetrics();
        quotas = RequestQuotas.of(HttpLimits.DEFAULT, ticker);
        refusals = new Refusals(new AuditRefusals(pool)::enter, ticker);
        Loop tokens = loops.loop("tokens");
        thread = new StepThread(tokens, () -> step(tokens));
        Loop writing = loops.loop("refusals");
        refusalThread = new StepThread(writing, () -> refusals.step(writing));
    }

    void registerGauges(MetricRegistry registry) {
        registry.gauge("http_refused_tokens", () -> attempts::total);
        registry.gauge("http_throttled", () -> quotas::refused);
        registry.gauge("refused_attempts", () -> refusals::total);
    }

    private AccessPolicy policy(HttpAccess access, PairSignature signature) {
        List<PrincipalResolver> resolvers = new ArrayList<>();
        adminToken.ifPresent(resolvers::add);
        resolvers.add(signature);
        resolvers.add(book);
        provider.ifPresent(resolvers::add);
        return new AccessPolicy(
                access.mode() == HttpAccess.Mode.READ ? Optional.of(READER) : Optional.empty(),
                resolvers,
                access.certificates(),
                adminToken.isPresent()
                        ? "; the first one is in the file that http.adminToken names on the node's machine"
                        : "; set http.adminToken on the node for the first one");
    }

    private static OidcTokens oidc(OidcProvider provider, Ticker ticker) {
        try {
            return new OidcTokens(provider, ticker);
        } catch (TlsFileException e) {
            throw new UncheckedIOException("http.oidc.ca: " + e.getMessage(), e);
        }
    }

    /**
     * Reads or creates the admin token. If the default place for its file is read-only, the node still fires, but the
     * API changes nothing.
     */
    private static Optional<AdminToken> adminToken(HttpAccess access) {
        if (access.adminToken() == null) {
            return Optional.empty();
        }
        try {
            return Optional.of(AdminToken.of(access.adminToken()));
        } catch (IOException e) {
            if (access.requiresAdminToken()) {
                throw new UncheckedIOException("http.adminToken: " + e.getMessage(), e);
            }
            LOG.warn(
                    "no admin token can be read or created in {} ({}); set http.adminToken to another file",
                    access.adminToken(),
                    e.toString());
            return Optional.empty();
        }
    }

    /** A session has the same principal as requests with its token. */
    private Optional<Principal> ofHash(byte[] hash) {
        return adminToken.flatMap(token -> token.ofHash(hash)).or(() -> book.ofHash(hash));
    }

    private Optional<Principal> ofPerson(SignedIn person) {
        return provider.flatMap(tokens -> tokens.principal(person));
    }

    ApiAccess api() {
        // A reference to the method would load classes that an embedded node without an API does not have.
        Optional<OidcSignIn> signIn = provider.isPresent() ? provider.get().signIn() : Optional.empty();
        return new ApiAccess(policy, sessions, store, attempts, refusals, quotas, opensMetrics, signIn);
    }

    /** Called once the tables exist. */
    void start() {
        thread.start();
        refusalThread.start();
    }

    /** Stores the hash of this node's admin token for the other node, because commands talk to both. */
    private long step(Loop loop) {
        try {
            if (!isAnnounced) {
                adminToken.ifPresent(token -> store.putAdmin(TokenStore.ADMIN_OF + nodeId, token.hash()));
                isAnnounced = true;
            }
        } catch (DatabaseUnavailableException e) {
            loop.failed(e);
            book.step(loop);
            return AFTER_FAILURE;
        }
        return book.step(loop);
    }

    @Override
    public void close() {
        thread.close();
        refusalThread.close();
    }
}
