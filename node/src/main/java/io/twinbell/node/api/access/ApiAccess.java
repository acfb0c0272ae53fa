package io.twinbell.node.api.access;

import io.twinbell.node.access.AccessPolicy;
import io.twinbell.node.access.FailedAttempts;
import io.twinbell.node.access.refusal.Refusals;
import io.twinbell.node.access.token.ConsoleSessions;
import io.twinbell.persistence.access.TokenStore;

/**
 * Who may use the API.
 *
 * @param sessions the sessions of the web console
 * @param tokens the tokens that the API manages
 * @param refusals collects refused requests for the audit
 * @param quotas bounds the requests of each client
 * @param opensMetrics whether {@code /metrics} needs no credentials
 */
public record ApiAccess(
        AccessPolicy policy,
        ConsoleSessions sessions,
        TokenStore tokens,
        FailedAttempts attempts,
        Refusals refusals,
        RequestQuotas quotas,
        boolean opensMetrics) {}
