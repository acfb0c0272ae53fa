package io.twinbell.node.task;

import java.net.URI;
import java.util.Map;

/** What a task does when it fires. */
public sealed interface HandlerSpec {
    /** The contract's word for it: {@code http}, {@code log} or {@code java}. */
    String type();

    /** Calls a URL; {@code body} may be null. */
    record HttpCall(String method, URI url, Map<String, String> headers, String body) implements HandlerSpec {
        @Override
        public String type() {
            return "http";
        }
    }

    /** Writes a line to the node's log. */
    record LogLine(String message) implements HandlerSpec {
        @Override
        public String type() {
            return "log";
        }
    }

    /** Runs code that the embedding program registered under {@code key}. */
    record JavaCode(String key) implements HandlerSpec {
        @Override
        public String type() {
            return "java";
        }
    }
}
