package io.twinbell.node.api.access;

import io.twinbell.node.access.AccessPolicy;
import io.twinbell.node.access.FailedAttempts;
import io.twinbell.node.access.Refusals;
import io.twinbell.node.access.oidc.OidcSignIn;
import io.twinbell.node.access.store.TokenStore;
import io.twinbell.node.access.token.ConsoleSessions;
import java.util.Optional;

/**
 * Who may use the API.
 *
 * @param sessions the sessions of the web console
 * @param tokens the tokens that the API manages
 * @param refusals collects refused requests for the audit
 * @param quotas bounds the requests of each client
 * @param opensMetrics whether {@code /metrics} needs no credentials
 * @param signIn how people sign in to the console at a provider; empty if they use tokens alone
 */
public record ApiAccess(
        AccessPolicy policy,
        ConsoleSessions sessions,
        TokenStore tokens,
        FailedAttempts attempts,
        Refusals refusals,
        RequestQuotas quotas,
        boolean opensMetrics,
        Optional<OidcSignIn> signIn) {}
