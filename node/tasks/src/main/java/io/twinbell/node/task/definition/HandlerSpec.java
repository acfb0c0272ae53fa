package io.twinbell.node.task.definition;

import com.fasterxml.jackson.databind.JsonNode;
import io.twinbell.node.engine.task.HandlerDefinition;
import io.twinbell.node.template.BodyTemplate;
import io.twinbell.node.template.SqlTemplate;
import io.twinbell.node.template.Template;
import io.twinbell.node.template.UrlTemplate;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/** The definition of a task's handler. */
public sealed interface HandlerSpec extends HandlerDefinition {
    /** Calls a URL; {@code body} may be null. */
    record HttpCall(String method, UrlTemplate url, Map<String, Template> headers, BodyTemplate body, HttpRules rules)
            implements HandlerSpec {
        @Override
        public String type() {
            return "http";
        }

        @Override
        public boolean awaitsCallback() {
            return rules.completion() == HttpCompletion.CALLBACK;
        }
    }

    /**
     * How an HTTP call is made, and which answers count as success.
     *
     * @param secret the name of the secret that signs the calls, or null
     * @param signature how the secret signs them
     * @param cloudEvents the form of the event that the calls carry; null for calls that are no events
     * @param profile the name of the configured profile of the calls; null for none
     */
    record HttpRules(
            StatusCodes successCodes,
            Duration connectTimeout,
            boolean followRedirects,
            String secret,
            HttpCompletion completion,
            SignatureScheme signature,
            CloudEventMode cloudEvents,
            String profile) {
        public static final HttpRules DEFAULT = new HttpRules(StatusCodes.DEFAULT, Duration.ofSeconds(10), false, null);

        /**
         * The answer to the call is the outcome, a secret signs in Twinbell's scheme, the call is no event, and no
         * profile changes how it is made.
         */
        public HttpRules(StatusCodes successCodes, Duration connectTimeout, boolean followRedirects, String secret) {
            this(
                    successCodes,
                    connectTimeout,
                    followRedirects,
                    secret,
                    HttpCompletion.RESPONSE,
                    SignatureScheme.TWINBELL,
                    null,
                    null);
        }
    }

    /** What ends an HTTP call. */
    enum HttpCompletion {
        RESPONSE,
        /** The receiver answers 202, and posts the outcome later. */
        CALLBACK
    }

    /** Which headers carry the signature of an HTTP call, and what it covers. */
    enum SignatureScheme {
        TWINBELL,
        /** The symmetric scheme {@code v1} of the specification Standard Webhooks. */
        STANDARD_WEBHOOKS
    }

    /** Where an HTTP call carries the attributes of a CloudEvent. */
    enum CloudEventMode {
        /** In headers; the body is the event's data. */
        BINARY,
        /** In a JSON body, together with the data. */
        STRUCTURED
    }

    /**
     * Runs statements in the transaction that completes their execution.
     *
     * @param parameters the task's own parameters, by name
     */
    record Sql(List<SqlTemplate> statements, Map<String, JsonNode> parameters) implements HandlerSpec {
        @Override
        public String type() {
            return "sql";
        }
    }

    /**
     * Runs a command on the node's own host.
     *
     * @param workingDirectory null for the node's working directory
     * @param successCodes the exit codes that count as success
     */
    record Shell(
            List<String> command, Map<String, String> environment, String workingDirectory, List<Integer> successCodes)
            implements HandlerSpec {
        @Override
        public String type() {
            return "shell";
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
