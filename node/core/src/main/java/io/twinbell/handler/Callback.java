package io.twinbell.handler;

import java.util.List;

/**
 * The right to answer a parked execution from outside, once, by an HTTP request to either node. Its text form leaves
 * out the token.
 *
 * @param executionId the id of the execution in the HTTP API
 * @param token goes into the header {@code Twinbell-Callback-Token} of each request
 * @param completeUrls where the outcome is posted: one URL for each node
 * @param heartbeatUrls where progress is posted, which extends the timeout: one URL for each node
 */
public record Callback(String executionId, String token, List<String> completeUrls, List<String> heartbeatUrls) {
    @Override
    public String toString() {
        return "Callback[" + executionId + "]";
    }
}
