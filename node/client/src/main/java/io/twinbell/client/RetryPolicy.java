package io.twinbell.client;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Duration;
import java.util.List;

/** How often a slot is tried again, as in the {@code retry} of the HTTP API. Instances are immutable. */
public final class RetryPolicy {
    private final ObjectNode json;

    private RetryPolicy(ObjectNode json) {
        this.json = json;
    }

    /** Tries at most this many times, 1 to 1000. */
    public static RetryPolicy attempts(int most) {
        return new RetryPolicy(ClientJson.object().put("maxAttempts", most));
    }

    /** The delay before the second attempt. Default: 1 s. */
    public RetryPolicy backoff(Duration delay) {
        return with("backoff", delay);
    }

    /** The factor for each further delay, 1 to 100. Default: 2. */
    public RetryPolicy multiplier(double factor) {
        return with("multiplier", factor);
    }

    /** The longest delay. Default: one minute. */
    public RetryPolicy maxBackoff(Duration longest) {
        return with("maxBackoff", longest);
    }

    /** The share by which a delay varies at random, 0 to 1. Default: 0.1. */
    public RetryPolicy jitter(double share) {
        return with("jitter", share);
    }

    /** The error codes that are retried, such as {@code HTTP_5*}. Default: all. */
    public RetryPolicy onlyOn(String... codes) {
        return with("onlyOn", List.of(codes));
    }

    /** The error codes that are not retried. */
    public RetryPolicy notOn(String... codes) {
        return with("notOn", List.of(codes));
    }

    ObjectNode json() {
        return json;
    }

    private RetryPolicy with(String member, Object value) {
        return new RetryPolicy(ClientJson.with(json, member, value));
    }
}
