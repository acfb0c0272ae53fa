package io.twinbell.spring;

import io.twinbell.client.RetryPolicy;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** The retry that tasks get which this application stores for a handler and which have none. */
final class HandlerRetries {
    private final TwinbellProperties.RetrySettings usual;
    private final Map<String, TwinbellProperties.RetrySettings> byKey = new ConcurrentHashMap<>();

    HandlerRetries(TwinbellProperties.RetrySettings usual) {
        String problem = usual.problem();
        if (problem != null) {
            throw InvalidProperty.of("retry", usual, problem);
        }
        this.usual = usual;
    }

    TwinbellProperties.RetrySettings usual() {
        return usual;
    }

    void put(String key, TwinbellProperties.RetrySettings retry) {
        byKey.put(key, retry);
    }

    /** Returns null if neither the handler nor the application says any. */
    RetryPolicy of(String key) {
        return byKey.getOrDefault(key, usual).policy();
    }
}
