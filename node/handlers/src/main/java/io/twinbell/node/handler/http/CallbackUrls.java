package io.twinbell.node.handler.http;

import io.twinbell.handler.Callback;
import io.twinbell.node.engine.handler.CallbackToken;
import io.twinbell.persistence.ledger.Slot;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * The URLs to which receivers post the outcomes and heartbeats of parked executions. Both nodes accept them.
 *
 * @param bases URLs of the pair's APIs, without a path; empty to give paths alone
 */
public record CallbackUrls(List<String> bases) {
    private static final int LONGEST_CHECKPOINT = 8192;

    /** The right to answer an attempt of this slot, as a handler may pass it on. */
    public Callback callback(Slot slot, CallbackToken token) {
        return new Callback(id(slot), token.text(), urls(slot, "complete"), urls(slot, "heartbeat"));
    }

    /**
     * Adds the headers of a call. They go to the task's own receiver only, because the token is the right to answer. A
     * longer checkpoint is not sent: the receiver reads it from the API.
     */
    void describe(Slot slot, CallbackToken token, Map<String, String> headers) {
        headers.put("Twinbell-Callback", String.join(", ", urls(slot, "complete")));
        headers.put("Twinbell-Heartbeat", String.join(", ", urls(slot, "heartbeat")));
        headers.put("Twinbell-Callback-Token", token.text());
        if (token.checkpoint() != null) {
            String line = inOneLine(token.checkpoint());
            if (line.length() <= LONGEST_CHECKPOINT) {
                headers.put("Twinbell-Checkpoint", line);
            }
        }
    }

    /** JSON has line breaks only between tokens, and may write other characters as escapes. */
    private static String inOneLine(String json) {
        StringBuilder line = new StringBuilder(json.length());
        for (int i = 0; i < json.length(); i++) {
            char next = json.charAt(i);
            if (next == '\n' || next == '\r' || next == '\t') {
                line.append(' ');
            } else if (next > '~') {
                line.append(String.format(Locale.ROOT, "\\u%04x", (int) next));
            } else {
                line.append(next);
            }
        }
        return line.toString();
    }

    private List<String> urls(Slot slot, String action) {
        String path = "/api/v1/executions/" + id(slot) + "/" + action;
        return bases.isEmpty()
                ? List.of(path)
                : bases.stream().map(base -> base + path).toList();
    }

    /** The id of the execution in the API. */
    static String id(Slot slot) {
        return slot.taskId() + "-" + slot.fireTimeMillis();
    }
}
