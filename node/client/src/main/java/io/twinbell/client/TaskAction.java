package io.twinbell.client;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/** What a task does, as in the {@code handler} of the HTTP API. Instances are immutable. */
public abstract sealed class TaskAction {
    final ObjectNode json;

    private TaskAction(ObjectNode json) {
        this.json = json;
    }

    /** Runs the java handler with this key. */
    public static JavaAction java(HandlerKey<?> key) {
        return new JavaAction(start("java").put("key", key.key()));
    }

    /** Calls a URL, which may contain variables such as <code>${slot}</code>. */
    public static HttpAction http(String url) {
        return new HttpAction(start("http").put("url", url));
    }

    /** Runs statements in the transaction that completes the execution. */
    public static SqlAction sql(String... statements) {
        ObjectNode json = start("sql");
        json.set("statement", ClientJson.tree(List.of(statements)));
        return new SqlAction(json);
    }

    /** Runs a program on the master's host. */
    public static ShellAction shell(String... command) {
        ObjectNode json = start("shell");
        json.set("command", ClientJson.tree(List.of(command)));
        return new ShellAction(json);
    }

    /** Writes a line to the log of the master. */
    public static LogAction log(String message) {
        return new LogAction(start("log").put("message", message));
    }

    private static ObjectNode start(String type) {
        return ClientJson.object().put("type", type);
    }

    /** Returns the handler as JSON text. */
    @Override
    public String toString() {
        return json.toString();
    }

    ObjectNode with(String member, Object value) {
        return ClientJson.with(json, member, value);
    }

    /** The action of a {@code java} task. */
    public static final class JavaAction extends TaskAction {
        private JavaAction(ObjectNode json) {
            super(json);
        }
    }

    /** The action of a {@code log} task. */
    public static final class LogAction extends TaskAction {
        private LogAction(ObjectNode json) {
            super(json);
        }
    }

    /** The action of an {@code http} task. */
    public static final class HttpAction extends TaskAction {
        private HttpAction(ObjectNode json) {
            super(json);
        }

        /** Who ends an execution: the response, or a later callback of the receiver. */
        public enum EndedBy {
            RESPONSE,
            CALLBACK
        }

        /** Which headers carry the signature of a call. */
        public enum SignedBy {
            TWINBELL,
            STANDARD_WEBHOOKS
        }

        /** Where a call carries the attributes of a CloudEvent: in headers, or in a JSON body. */
        public enum CloudEvents {
            BINARY,
            STRUCTURED
        }

        /** Default: GET, or POST if there is a body or the call is a CloudEvent. */
        public HttpAction method(String method) {
            return new HttpAction(with("method", method));
        }

        public HttpAction headers(Map<String, String> headers) {
            return new HttpAction(with("headers", headers));
        }

        public HttpAction body(String body) {
            return new HttpAction(with("body", body));
        }

        /** The statuses that count as success, such as {@code 2xx} or {@code 200-299}. Default: 2xx. */
        public HttpAction successCodes(String... codes) {
            return new HttpAction(with("successCodes", List.of(codes)));
        }

        /** Default: 10 s. */
        public HttpAction connectTimeout(Duration timeout) {
            return new HttpAction(with("connectTimeout", timeout));
        }

        /** Default: false. */
        public HttpAction followRedirects(boolean follows) {
            return new HttpAction(with("followRedirects", follows));
        }

        /** Default: RESPONSE. */
        public HttpAction completion(EndedBy completion) {
            return new HttpAction(with("completion", completion));
        }

        /** The name of a configured secret that signs each call. */
        public HttpAction secret(String ref) {
            return new HttpAction(with("secret", Map.of("ref", ref)));
        }

        /** Requires a secret. Default: TWINBELL. */
        public HttpAction signature(SignedBy signature) {
            return new HttpAction(with("signature", signature));
        }

        /** Makes each call a CloudEvent. Default: no event. */
        public HttpAction cloudEvents(CloudEvents mode) {
            return new HttpAction(with("cloudEvents", mode));
        }

        /**
         * The name of a profile of the nodes' configuration, whose proxy, client certificate and authorities make the
         * calls. Default: none.
         */
        public HttpAction profile(String name) {
            return new HttpAction(with("profile", name));
        }

        /** As {@link TaskAction#http(String)}, without variables. */
        public HttpAction url(URI url) {
            return new HttpAction(with("url", url.toString()));
        }
    }

    /** The action of an {@code sql} task. */
    public static final class SqlAction extends TaskAction {
        private SqlAction(ObjectNode json) {
            super(json);
        }

        /** The values of the statement's parameters. */
        public SqlAction parameters(Map<String, ?> parameters) {
            return new SqlAction(with("parameters", parameters));
        }
    }

    /** The action of a {@code shell} task. */
    public static final class ShellAction extends TaskAction {
        private ShellAction(ObjectNode json) {
            super(json);
        }

        public ShellAction environment(Map<String, String> variables) {
            return new ShellAction(with("environment", variables));
        }

        public ShellAction workingDirectory(Path directory) {
            return new ShellAction(with("workingDirectory", directory.toString()));
        }

        /** The exit codes that count as success. Default: 0. */
        public ShellAction successCodes(Integer... codes) {
            return new ShellAction(with("successCodes", List.of(codes)));
        }
    }
}
