package io.twinbell.spring;

import io.twinbell.client.RetryPolicy;
import io.twinbell.client.TaskDraft.OrphanHandling;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * What the tasks get that this application stores for a handler, if they do not say it themselves: a retry, and perhaps
 * another run if the node dies. The transaction of an {@code exactlyOnce} handler is rolled back then, so it always has one.
 */
final class HandlerPolicies {
    private final TwinbellProperties.RetrySettings usual;
    private final Map<String, TwinbellProperties.RetrySettings> retries = new ConcurrentHashMap<>();
    private final Set<String> rerun = ConcurrentHashMap.newKeySet();

    HandlerPolicies(TwinbellProperties.RetrySettings usual) {
        String problem = usual.problem();
        if (problem != null) {
            throw InvalidProperty.of("retry", usual, problem);
        }
        this.usual = usual;
    }

    TwinbellProperties.RetrySettings usualRetry() {
        return usual;
    }

    void putRetry(String key, TwinbellProperties.RetrySettings retry) {
        retries.put(key, retry);
    }

    void rerunOrphans(String key) {
        rerun.add(key);
    }

    /** Returns null for the default of the app. */
    OrphanHandling orphan(String key) {
        return rerun.contains(key) ? OrphanHandling.RERUN : null;
    }

    /** Returns null if neither the handler nor the application says any. */
    RetryPolicy retry(String key) {
        return retries.getOrDefault(key, usual).policy();
    }
}
