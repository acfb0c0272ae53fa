package io.twinbell.node.task.definition;

import com.fasterxml.jackson.databind.JsonNode;
import io.twinbell.persistence.epoch.Epoch;

/**
 * One attempt to deliver an alert to its webhook.
 *
 * @param name of the alert
 * @param key the idempotency key, the same for each attempt
 * @param alert the value of {@code ${alert}}
 */
public record AlertCall(
        HandlerSpec.HttpCall webhook, String name, String key, int attempt, Epoch epoch, JsonNode alert) {}
